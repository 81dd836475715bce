//! The call that waits in a queue: one request and its decision.

use super::deadlines::Queued;
use super::pending::{PendingItem, Sender};
use super::queue::{Bounds, Queue};
use crate::decision::Decision;
use crate::error::Error;
use crate::limit::State;
use crate::store::{DeadlineWatch, Mode, Request};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of calls that wait in one queue.
pub(crate) const QUEUE_CAPACITY: usize = 16_384;

/// A server executes one script at a time. A batch of 2000 units and a call of 10 000 take it about a millisecond.
const BOUNDS: Bounds = Bounds {
    waiting: QUEUE_CAPACITY,
    batch: 128,
    units: 2000,
    workers: 4,
    add_worker_after: Duration::from_micros(250),
};

/// A call that may be queued, as its caller holds it.
pub(crate) type PendingCall = PendingItem<CallItem, Result<Decision, Error>>;
/// The same call, as its sender holds it: the place to put the reply.
pub(crate) type CallSender = Sender<CallItem, Result<Decision, Error>>;
/// The queue of one session.
pub(crate) type CallQueue = Queue<CallSender>;

pub(crate) fn call_queue() -> CallQueue {
    Queue::new(BOUNDS)
}

/// The item of a call: its request and its deadline.
pub(crate) struct CallItem {
    mode: Mode,
    request: Request,
    deadline: Option<Instant>,
    /// Who watches the deadline: a [`DeadlineWatch`] as a number.
    watch: AtomicU8,
}

const UNWATCHED: u8 = 0;
const WATCHED: u8 = 1;
const OVERDUE: u8 = 2;

/// Creates a call. This copies the request, once.
pub(crate) fn pending_call(mode: Mode, request: &Request) -> Arc<PendingCall> {
    PendingItem::new(CallItem {
        mode,
        request: request.clone(),
        deadline: None,
        watch: AtomicU8::new(UNWATCHED),
    })
}

impl CallItem {
    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) const fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
    }

    /// Returns who watches the deadline.
    pub(crate) fn watch(&self) -> DeadlineWatch {
        match self.watch.load(Ordering::Acquire) {
            WATCHED => DeadlineWatch::Watched,
            OVERDUE => DeadlineWatch::Overdue,
            _ => DeadlineWatch::Unwatched,
        }
    }
}

impl Queued for CallSender {
    fn units(&self) -> u32 {
        let is_work = |request: &&Request| {
            let limit = request.limit();
            // A call above the capacity is refused without any work.
            limit.state() == State::Log && request.cost() <= limit.capacity()
        };
        self.item().map(CallItem::request).filter(is_work).map_or(0, Request::cost)
    }

    fn is_wanted(&self) -> bool {
        Self::is_wanted(self)
    }

    fn deadline(&self) -> Option<Instant> {
        self.item()?.deadline
    }

    // Both functions set the flag before they take the waker. A caller stores a new waker before it reads the flag.

    fn set_watched(&self, watched: bool) -> Option<Waker> {
        let watch = if watched { WATCHED } else { UNWATCHED };
        let before = self.item()?.watch.swap(watch, Ordering::AcqRel);
        if before == WATCHED && !watched { self.take_waker() } else { None }
    }

    fn set_overdue(&self) -> Option<Waker> {
        let watch = &self.item()?.watch;
        let was_watched = watch.compare_exchange(WATCHED, OVERDUE, Ordering::AcqRel, Ordering::Relaxed);
        was_watched.ok().and_then(|_| self.take_waker())
    }
}
