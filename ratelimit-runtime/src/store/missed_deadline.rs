//! `MissedDeadline`: an observer that is notified when the deadline of a reply has passed.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// Observes missed deadlines of replies.
///
/// After many missed deadlines in a row, a store can let calls fail at once until its server is fast enough again.
pub trait MissedDeadline: Send + Sync {
    /// Called when a reply has not arrived within `deadline`. After this call, the limiter drops the reply.
    fn missed_deadline(&self, deadline: Duration);
}

/// The observer of a call that waits for several replies, one after another. If the call misses its deadline, only the observer
/// of the current reply is notified.
#[derive(Default)]
pub(crate) struct Awaited {
    observer: Mutex<Option<Arc<dyn MissedDeadline>>>,
    in_background: bool,
}

impl Awaited {
    /// The observer of a request that is not part of a decision. Its missed deadline tells that a connection may be dead, but not
    /// that decisions are late.
    pub(crate) fn in_background() -> Self {
        Self { in_background: true, ..Self::default() }
    }

    pub(crate) const fn is_in_background(&self) -> bool {
        self.in_background
    }

    /// Sets the observer of the reply that the call waits for from now on.
    pub(crate) fn set(&self, awaited: Arc<dyn MissedDeadline>) {
        *self.observer.lock() = Some(awaited);
    }

    /// Notes that the reply has arrived, so that its observer is no longer notified.
    pub(crate) fn clear(&self) {
        *self.observer.lock() = None;
    }
}

impl MissedDeadline for Awaited {
    fn missed_deadline(&self, deadline: Duration) {
        // The observer stays set. Several calls may wait for one fetch of leased units, and each of these calls reports its own
        // missed deadline.
        let awaited = self.observer.lock().clone();
        if let Some(awaited) = awaited {
            awaited.missed_deadline(deadline);
        }
    }
}
