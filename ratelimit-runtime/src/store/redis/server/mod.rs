//! One server: its sessions, their connections, and whether the server is healthy.
//!
//! [`session`] and [`connecting`] depend on each other: a session sends commands on the connection that [`connecting`] opens.
//! Each of the other modules imports only from those before it: [`per_runtime`], [`breaker`], [`slow_calls`], [`under_way`],
//! [`connection_state`], [`session`], [`node`].

mod breaker;
mod connecting;
mod connection_state;
mod node;
mod per_runtime;
mod session;
mod slow_calls;
mod under_way;

pub(crate) use node::Node;
pub(crate) use per_runtime::PerRuntime;
pub(crate) use session::{SendError, Session, missing_reply};
pub(crate) use slow_calls::SlowCalls;
pub(crate) use under_way::{Ending, UnderWay};

/// The atomic types that [`slow_calls`] uses. Its model test replaces this module by loom's types.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU64, Ordering};
}
