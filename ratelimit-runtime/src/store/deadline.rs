//! The deadline of a reply. If the store does not watch the deadline itself, a timer does. When the deadline passes, the
//! observer of the reply is notified.

use super::reply::{DeadlineWatch, PendingReply};
use super::request::Request;
use crate::clock::DeadlineTimer;
use crate::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::Instant;

/// A reply with a deadline. Polling it needs a tokio runtime.
pub(crate) struct UntilDeadline<T> {
    reply: PendingReply<T>,
    within: Duration,
    /// Not begun for most calls of a busy store, because the store watches their deadlines.
    timer: DeadlineTimer,
}

impl<T> UntilDeadline<T> {
    /// Awaits the reply of a call that began at `began`, for at most `within`.
    pub(crate) fn new(mut reply: PendingReply<T>, began: Instant, within: Duration) -> Self {
        let deadline = began + within;
        if let PendingReply::Call(call) = &mut reply {
            call.set_deadline(began, deadline);
        }
        Self { reply, within, timer: DeadlineTimer::new(deadline) }
    }

    /// Polls the reply. Returns `None` if the deadline has passed. This method does not notify the observer of the reply.
    pub(crate) fn poll_in_time(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        if let Poll::Ready(result) = Pin::new(&mut self.reply).poll(context) {
            return Poll::Ready(Some(result));
        }
        let watch = match &self.reply {
            PendingReply::Call(call) => call.watch(),
            PendingReply::Future(..) => DeadlineWatch::Unwatched,
        };
        match watch {
            DeadlineWatch::Watched => Poll::Pending,
            DeadlineWatch::Overdue => Poll::Ready(None),
            DeadlineWatch::Unwatched => self.timer.poll(context).map(|missed| missed.err().map(Err)),
        }
    }

    pub(crate) fn request(&self) -> Option<&Request> {
        self.reply.request()
    }

    /// Gives the reply back, to await it after the deadline.
    pub(crate) fn into_reply(self) -> PendingReply<T> {
        self.reply
    }
}

impl<T> Future for UntilDeadline<T> {
    /// `None` if the deadline has passed. The observer of the reply has then been notified.
    type Output = Option<Result<T, Error>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(self.poll_in_time(context));
        if result.is_none()
            && let Some(observer) = self.reply.observer()
        {
            observer.missed_deadline(self.within);
        }
        Poll::Ready(result)
    }
}
