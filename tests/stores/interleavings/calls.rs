//! Calls for the model tests, and functions that add them to a queue.

use super::call::{CallSender, PendingCall};
use super::queue::{Bounds, Entered, Queue, Worker};
use loom::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const BOUNDS: Bounds =
    Bounds { waiting: 3, batch: 2, units: 2, workers: 2, add_worker_after: Duration::from_secs(1) };

/// Whether no call is in flight.
pub(super) fn is_idle(queue: &Queue) -> bool {
    matches!(queue.enter(&numbered(0, None), Instant::now), Entered::Direct(_))
}

/// Adds a call to the queue. Returns the worker, if the queue needs one.
pub(super) fn enqueue(queue: &Queue, call: &Arc<PendingCall>, now: Instant) -> Option<Worker> {
    match queue.enter(call, || now) {
        Entered::Queued(worker) => worker,
        Entered::Direct(_) => panic!("nothing is under way"),
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
