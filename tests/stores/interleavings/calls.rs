//! Calls for the model tests, and functions that add them to a queue.

use super::call::{CallSender, PendingCall};
use super::queue::{Bounds, Entered, Queue, Taker};
use loom::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const BOUNDS: Bounds =
    Bounds { waiting: 3, batch: 2, units: 2, under_way: 2, another_after: Duration::from_secs(1) };

/// Adds a call to the queue. Returns the taker, if the queue has no task.
pub(super) fn enqueue(queue: &Queue, call: &Arc<PendingCall>, now: Instant) -> Option<Taker> {
    match queue.enter(call, || now) {
        Entered::Waits(taker) => taker,
        Entered::Full => panic!("the queue is full"),
    }
}

/// Creates a call whose request is a number.
pub(super) fn numbered(number: u32, deadline: Option<Instant>) -> Arc<PendingCall> {
    let mut call = PendingCall::new((), number);
    Arc::get_mut(&mut call).unwrap().deadline = deadline;
    call
}

pub(super) fn numbers(batch: &[CallSender]) -> Vec<u32> {
    batch.iter().map(|call| call.request).collect()
}
