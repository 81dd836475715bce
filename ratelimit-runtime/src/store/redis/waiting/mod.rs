//! Calls that wait for a batch: the queue of one session, and the place where a caller receives its reply.

mod call;
mod queue;

pub(crate) use call::{CallOutcome, CallSender, PendingCall};
pub(crate) use queue::{Entered, Queue, Taker, earlier, judge};
use std::time::Duration;

/// The maximum number of calls that wait in one queue.
pub(crate) const QUEUE_CAPACITY: usize = 16_384;

/// The bounds of each queue. A server executes one script at a time, so batches must be short. The largest batch has nearly
/// 2000 units, and a last call of 10 000 more units. It takes the server about a millisecond.
pub(crate) const BOUNDS: queue::Bounds = queue::Bounds {
    waiting: QUEUE_CAPACITY,
    batch: 128,
    units: 2000,
    under_way: 4,
    another_after: Duration::from_micros(250),
};

/// The types that the model tests replace: loom's types take the place of the primitives, and a number the place of a request
/// and of its reply.
mod parts {
    use crate::decision::Decision;
    use crate::error::Error;
    use crate::limit::State;
    pub(super) use crate::store::{Mode, Request};
    pub(super) use std::sync::atomic::AtomicBool;
    pub(super) use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    pub(super) type Reply = Result<Decision, Error>;

    /// The work of a request for the server. It is the cost of the request if the limit is a sliding log, and no units for all
    /// other limits. A request above the capacity is refused without any work.
    pub(super) fn units(request: &Request) -> u32 {
        let limit = request.limit();
        let is_work = limit.state() == State::Log && request.cost() <= limit.capacity();
        if is_work { request.cost() } else { 0 }
    }
}
