//! One server: its sessions, their connections, and whether the server is healthy.
//!
//! Each module imports only from those before it: [`per_runtime`], [`unhealthy`], [`breaker`], [`slow_calls`],
//! [`under_way`], [`session_connection`], [`session`], [`node`].

mod breaker;
mod node;
mod per_runtime;
mod session;
mod session_connection;
mod slow_calls;
mod under_way;
mod unhealthy;

use super::sync;
pub(crate) use node::Node;
pub(crate) use per_runtime::PerRuntime;
pub(crate) use session::{SendError, Session, missing_reply};
pub(crate) use slow_calls::SlowCalls;
pub(crate) use under_way::{Ending, UnderWay};
