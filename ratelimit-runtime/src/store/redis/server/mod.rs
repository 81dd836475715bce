//! One server: its sessions, their connections, and whether the server is healthy.
//!
//! The order of imports: [`per_runtime`], [`unhealthy`], [`breaker`], [`slow_calls`], [`reconnect`], [`session`], [`node`].

mod breaker;
mod node;
mod per_runtime;
mod reconnect;
mod session;
mod slow_calls;
mod unhealthy;

use super::sync;
pub(crate) use node::Node;
pub(crate) use per_runtime::PerRuntime;
pub(crate) use session::{SendError, Session};
pub(crate) use slow_calls::SlowCalls;
