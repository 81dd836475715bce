//! One server: its sessions, the reconnection, and its health.

pub(crate) mod breaker;
pub(crate) mod node;
pub(crate) mod per_runtime;
pub(crate) mod reconnect;
pub(crate) mod session;
pub(crate) mod slow_calls;

use super::sync;
