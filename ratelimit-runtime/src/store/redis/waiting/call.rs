//! The call that waits in a queue: one request and its decision.

use super::pending::{Pending, Sender};
use super::queue::{Bounds, Queue};
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Awaited, MissedDeadline, Mode, Request};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The maximum number of calls that wait in one queue.
pub(crate) const QUEUE_CAPACITY: usize = 16_384;

const BOUNDS: Bounds =
    Bounds { waiting: QUEUE_CAPACITY, batch: 128, workers: 4, add_worker_after: Duration::from_micros(250) };

/// A call that may be queued, as its caller holds it.
pub(crate) type PendingCall = Pending<CallItem, Result<Decision, Error>>;
/// The same call, as its sender holds it: the place to put the reply.
pub(crate) type CallSender = Sender<CallItem, Result<Decision, Error>>;
/// The queue of one session.
pub(crate) type CallQueue = Queue<CallSender>;

pub(crate) fn call_queue() -> CallQueue {
    Queue::new(BOUNDS)
}

/// The item of a call: its request, and what the call waits for.
pub(crate) struct CallItem {
    mode: Mode,
    request: Request,
    /// The session in whose queue the call waits.
    session: OnceLock<Arc<dyn MissedDeadline>>,
    /// What the call waits for when it sends its request itself.
    awaited: Awaited,
}

/// Creates a call. This copies the request, once.
pub(crate) fn pending_call(mode: Mode, request: &Request) -> Arc<PendingCall> {
    Pending::new(CallItem {
        mode,
        request: request.clone(),
        session: OnceLock::new(),
        awaited: Awaited::default(),
    })
}

impl CallItem {
    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) const fn request(&self) -> &Request {
        &self.request
    }

    pub(crate) const fn awaited(&self) -> &Awaited {
        &self.awaited
    }

    /// Counts a missed deadline against `session` from now on, because the call waits in its queue.
    pub(crate) fn waits_for(&self, session: Arc<dyn MissedDeadline>) {
        let _ = self.session.set(session);
    }
}

impl MissedDeadline for PendingCall {
    fn missed_deadline(&self, deadline: Duration) {
        let item = self.item();
        // `awaited` is set once the call has left the queue and sends its request itself.
        match item.session.get() {
            Some(session) if !item.awaited.is_set() => session.missed_deadline(deadline),
            _ => item.awaited.missed_deadline(deadline),
        }
    }
}
