//! The queue of calls that wait to be sent to one server.

pub(crate) mod pending;
pub(crate) mod queue;

use super::sync;
