//! Work that nobody waits for: it runs on the runtime that is there, and `close` waits for it.

use crate::error::Error;
use crate::store::{Answer, Reply};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;
use tokio::sync::Notify;

#[derive(Clone, Default)]
pub(crate) struct Background(Arc<Running>);

#[derive(Default)]
struct Running {
    number: AtomicUsize,
    ended: Notify,
}

impl Background {
    /// Awaits a reply, at once if it is there. Without a runtime nothing can be awaited, and permits end with their
    /// leases.
    pub(crate) fn run<T: Send + Unpin + 'static>(
        &self,
        reply: Reply<T>,
        then: impl FnOnce(Result<T, Error>) + Send + 'static,
    ) {
        match reply.into_answer() {
            Answer::Ready(Some(answer)) => then(answer),
            Answer::Ready(None) => {}
            Answer::Pending(mut reply) => {
                let Ok(runtime) = Handle::try_current() else { return };
                // On its way before anything that this task asks next: the store answers in order.
                let started = Pin::new(&mut reply).poll(&mut Context::from_waker(Waker::noop()));
                if let Poll::Ready(answer) = started {
                    return then(answer);
                }
                let task = Task::of(&self.0);
                runtime.spawn(async move {
                    let _task = task;
                    then(reply.await);
                });
            }
        }
    }

    /// Counts a task of somebody else's, until this is dropped.
    pub(crate) fn task(&self) -> Task {
        Task::of(&self.0)
    }

    /// Until nothing runs any more.
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

/// Counts one task, also if its runtime drops it.
pub(crate) struct Task(Arc<Running>);

impl Task {
    fn of(running: &Arc<Running>) -> Self {
        running.number.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(running))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.number.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.notify_waiters();
    }
}
