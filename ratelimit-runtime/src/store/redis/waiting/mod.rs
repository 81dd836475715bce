//! Calls that wait for a batch: the queue of one session, and the place where a caller receives its reply.

mod call;
mod deadlines;
mod pending;
mod queue;

use super::sync;
pub(crate) use call::{
    CallItem, CallQueue, CallSender, PendingCall, QUEUE_CAPACITY, call_queue, pending_call,
};
pub(crate) use pending::CallOutcome;
pub(crate) use queue::{Entered, Worker};
