//! `Reply`: the reply of a store, which is ready at once or a future.

use super::missed_deadline::{Awaited, MissedDeadline};
use super::request::Request;
use crate::error::{Error, ErrorKind};
use crate::tasks::Tasks;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// The reply of a store: a future that borrows nothing. It may be ready from the start.
#[must_use = "a reply does nothing until it is awaited"]
pub enum Reply<T> {
    #[doc(hidden)]
    Ready(Result<T, Error>),
    #[doc(hidden)]
    Pending(PendingReply<T>),
}

/// A reply that must be awaited.
pub enum PendingReply<T> {
    /// A future, and the observer of its missed deadline.
    Future(Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>, Option<Arc<dyn MissedDeadline>>),
    Call(Box<dyn QueuedReply<T>>),
}

/// Says who watches the deadline of a call, or that it has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadlineWatch {
    /// The caller needs a timer.
    Unwatched,
    /// The store wakes the caller at the deadline, and also when it no longer watches the deadline.
    Watched,
    /// The deadline has passed.
    Overdue,
}

/// A call of one of this crate's stores. Unlike a plain future, such a call knows its deadline.
pub trait QueuedReply<T>: Send {
    fn request(&self) -> &Request;

    /// Polls the reply.
    fn poll_reply(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Error>>;

    /// Sets the start and the deadline of the call. The caller does this before the first poll.
    fn set_deadline(&mut self, began: Instant, deadline: Instant);

    /// The caller asks after a poll that was not ready.
    fn watch(&self) -> DeadlineWatch;

    /// If other futures wait for the same call, they notify the observer of this call too.
    fn observer(&mut self) -> Arc<dyn MissedDeadline>;
}

impl<T> Reply<T> {
    /// Makes a reply that is ready.
    #[inline]
    pub const fn ready(result: Result<T, Error>) -> Self {
        Self::Ready(result)
    }

    /// Makes a reply from a future.
    pub fn pending(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> Self {
        Self::Pending(PendingReply::new(future))
    }

    /// Makes a reply from a future. The future receives an [`Awaited`], and sets the observer of a missed deadline in it.
    pub(crate) fn observed<F>(call: impl FnOnce(Arc<Awaited>) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Self::awaiting(Awaited::default(), call)
    }

    /// Like [`observed`](Self::observed), for a request that is not part of a decision.
    pub(crate) fn in_the_background<F>(call: impl FnOnce(Arc<Awaited>) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Self::awaiting(Awaited::in_background(), call)
    }

    fn awaiting<F>(awaited: Awaited, call: impl FnOnce(Arc<Awaited>) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let awaited = Arc::new(awaited);
        Self::pending(call(Arc::clone(&awaited))).observed_by(awaited)
    }

    /// Makes a reply from a call of a store of this crate.
    pub(crate) fn call(call: impl QueuedReply<T> + 'static) -> Self {
        Self::Pending(PendingReply::Call(Box::new(call)))
    }

    /// Sets the observer of a missed deadline. Has no effect on a reply that is ready, because such a reply cannot miss its
    /// deadline.
    pub fn observed_by(mut self, observer: Arc<dyn MissedDeadline>) -> Self {
        if let Self::Pending(PendingReply::Future(_, observed_by)) = &mut self {
            *observed_by = Some(observer);
        }
        self
    }

    /// Drops the value and keeps the error.
    pub(crate) fn without_result(self) -> Reply<()>
    where
        T: Send + 'static,
    {
        match self {
            Self::Ready(result) => Reply::ready(result.map(drop)),
            Self::Pending(mut pending) => {
                let observer = pending.observer();
                let future = Box::pin(async move { pending.await.map(drop) });
                Reply::Pending(PendingReply::Future(future, observer))
            }
        }
    }

    /// Passes the result to `then`: at once if the reply is ready. Otherwise a task of the current runtime awaits the reply,
    /// and is counted among `tasks`. Without a runtime, a pending reply is dropped, and its request is not sent. If the request
    /// was to give back permits, they stay held until their leases end.
    pub(crate) fn in_background(self, tasks: &Tasks, then: impl FnOnce(Result<T, Error>) + Send + 'static)
    where
        T: Send + 'static,
    {
        match self {
            Self::Ready(result) => then(result),
            Self::Pending(mut reply) => {
                let Ok(runtime) = Handle::try_current() else { return };
                // This first poll sends the request. So it is sent before the next request of this task.
                let first = Pin::new(&mut reply).poll(&mut Context::from_waker(Waker::noop()));
                if let Poll::Ready(result) = first {
                    return then(result);
                }
                let counted = tasks.count();
                runtime.spawn(async move {
                    let _counted = counted;
                    then(reply.await);
                });
            }
        }
    }

    /// Returns the value of a reply that is ready and is not an error.
    #[inline]
    pub const fn ready_value(&self) -> Option<&T> {
        match self {
            Self::Ready(Ok(value)) => Some(value),
            _ => None,
        }
    }
}

impl<T> PendingReply<T> {
    pub(crate) fn new(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> Self {
        Self::Future(Box::pin(future), None)
    }

    pub(crate) fn request(&self) -> Option<&Request> {
        match self {
            Self::Future(..) => None,
            Self::Call(call) => Some(call.request()),
        }
    }

    /// `None` if the reply has no observer.
    pub(crate) fn observer(&mut self) -> Option<Arc<dyn MissedDeadline>> {
        match self {
            Self::Future(_, observer) => observer.clone(),
            Self::Call(call) => Some(call.observer()),
        }
    }
}

impl<T> Future for PendingReply<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Future(future, _) => future.as_mut().poll(context),
            Self::Call(call) => call.poll_reply(context),
        }
    }
}

impl<T: Unpin> Future for Reply<T> {
    type Output = Result<T, Error>;

    /// # Panics
    ///
    /// May panic if it is polled again after it has returned the result of a pending reply. A reply that was ready from the
    /// start returns an error instead.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Pending(pending) => Pin::new(pending).poll(context),
            Self::Ready(result) => {
                let message = "the store returned a reply that was already awaited";
                let awaited = Err(Error::new(ErrorKind::Configuration, message));
                Poll::Ready(std::mem::replace(result, awaited))
            }
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending(_) => "Reply::Pending",
            Self::Ready(_) => "Reply::Ready",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reply_that_was_already_awaited_is_an_error() {
        let mut reply = Reply::ready(Ok(7));
        assert_eq!((&mut reply).await.unwrap(), 7);
        let Reply::Ready(Err(error)) = reply else { panic!("the reply has no result left") };
        assert_eq!(error.kind(), ErrorKind::Configuration);
    }
}
