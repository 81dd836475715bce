//! Calls that wait for a batch: the queue of one session, and the place where a caller receives its reply.

mod call;
mod queue;

pub(crate) use call::{CallOutcome, CallSender, PendingCall};
pub(crate) use queue::{Entered, Queue, Worker};
use std::time::Duration;

/// The maximum number of calls that wait in one queue.
pub(crate) const QUEUE_CAPACITY: usize = 16_384;

/// A server executes one script at a time. A batch of 2000 units and a call of 10 000 take it about a millisecond.
pub(crate) const BOUNDS: queue::Bounds = queue::Bounds {
    waiting: QUEUE_CAPACITY,
    batch: 128,
    units: 2000,
    workers: 4,
    add_worker_after: Duration::from_micros(250),
};

/// What the model tests replace: the primitives by those of loom, and the request and its reply by a number.
mod parts {
    use crate::decision::Decision;
    use crate::error::Error;
    use crate::limit::State;
    pub(super) use crate::store::{DeadlineWatch, Mode, Request};
    pub(super) use std::sync::atomic::AtomicU8;
    pub(super) use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    pub(super) type Reply = Result<Decision, Error>;

    /// Returns how many units the request may take from a limit for which each unit is work for the server. A request above the
    /// capacity is refused without any work.
    pub(super) fn units(request: &Request) -> u32 {
        let limit = request.limit();
        let is_work = limit.state() == State::Log && request.cost() <= limit.capacity();
        if is_work { request.cost() } else { 0 }
    }
}
