//! `Tasks`: counts the background tasks of a limiter, such as the return of a permit, so that `close` can wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// The background tasks of a limiter. A clone shares the count.
#[derive(Clone, Default)]
pub(crate) struct Tasks(Arc<Running>);

#[derive(Default)]
struct Running {
    number: AtomicUsize,
    ended: Notify,
}

impl Tasks {
    /// Counts a task until the returned value is dropped.
    pub(crate) fn count(&self) -> Counted {
        self.0.number.fetch_add(1, Ordering::AcqRel);
        Counted(Arc::clone(&self.0))
    }

    /// Waits until no background task is left.
    pub(crate) async fn idle(&self) {
        loop {
            let ended = self.0.ended.notified();
            if self.0.number.load(Ordering::Acquire) == 0 {
                return;
            }
            ended.await;
        }
    }
}

/// Counts one background task until it is dropped, which also happens when the runtime drops the task.
pub(crate) struct Counted(Arc<Running>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.number.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.notify_waiters();
    }
}
