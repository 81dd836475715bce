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
pub(crate) struct Awaited(Mutex<Option<Arc<dyn MissedDeadline>>>);

impl Awaited {
    /// Sets the observer of the reply that the call waits for from now on.
    pub(crate) fn set(&self, awaited: Arc<dyn MissedDeadline>) {
        *self.0.lock() = Some(awaited);
    }

    /// Notes that the reply has arrived, so that its observer is no longer notified.
    pub(crate) fn clear(&self) {
        *self.0.lock() = None;
    }
}

impl MissedDeadline for Awaited {
    fn missed_deadline(&self, deadline: Duration) {
        // The observer stays set. Several calls may wait for one fetch of leased units, and each of these calls reports its own
        // missed deadline.
        let awaited = self.0.lock().clone();
        if let Some(awaited) = awaited {
            awaited.missed_deadline(deadline);
        }
    }
}
