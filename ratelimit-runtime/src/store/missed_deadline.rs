//! `MissedDeadline`: an observer that is notified when the deadline of a reply has passed.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// Observes missed deadlines of replies.
///
/// After many missed deadlines in a row, a store can let calls fail at once until its server is fast enough again.
pub trait MissedDeadline: Send + Sync {
    /// Called when the reply has not arrived within `deadline`. The reply is dropped afterwards.
    fn missed_deadline(&self, deadline: Duration);
}

/// Passes a missed deadline of a call on to the observer of the reply that the call waits for at that time, and to no other
/// observer.
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
        // The observer stays set, because several calls may wait for one fetch, and each of them reports its missed deadline.
        let awaited = self.0.lock().clone();
        if let Some(awaited) = awaited {
            awaited.missed_deadline(deadline);
        }
    }
}
