//! Counts background tasks, such as the return of a permit, so that `close` can wait for them.

use crate::error::Error;
use crate::store::{Reply, ReplyKind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;
use tokio::sync::Notify;

#[derive(Clone, Default)]
pub(crate) struct Tasks(Arc<Running>);

#[derive(Default)]
struct Running {
    number: AtomicUsize,
    ended: Notify,
}

impl Tasks {
    /// Awaits a reply in a task of the current runtime. A reply that is ready is used at once. Without a runtime, a pending
    /// reply is dropped, and permits end with their leases.
    pub(crate) fn run<T: Send + Unpin + 'static>(
        &self,
        reply: Reply<T>,
        then: impl FnOnce(Result<T, Error>) + Send + 'static,
    ) {
        match reply.into_kind() {
            ReplyKind::Ready(result) => then(result),
            ReplyKind::Pending(mut reply) => {
                let Ok(runtime) = Handle::try_current() else { return };
                // Polling once here sends the request before the next request of this task.
                let first = Pin::new(&mut reply).poll(&mut Context::from_waker(Waker::noop()));
                if let Poll::Ready(result) = first {
                    return then(result);
                }
                let counted = self.count();
                runtime.spawn(async move {
                    let _counted = counted;
                    then(reply.await);
                });
            }
        }
    }

    /// Counts a task until the returned value is dropped.
    pub(crate) fn count(&self) -> Counted {
        self.0.number.fetch_add(1, Ordering::AcqRel);
        Counted(Arc::clone(&self.0))
    }

    /// Waits until no task is left.
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

/// Counts one task, even if its runtime drops it.
pub(crate) struct Counted(Arc<Running>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.number.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.notify_waiters();
    }
}
