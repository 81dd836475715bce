//! The deadline of a reply: a timer, unless the store watches the deadline.

use super::reply::PendingReply;
use crate::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::time::{Instant, Sleep, sleep_until};

/// Who watches the deadline of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeadlineWatch {
    /// The caller needs a timer.
    Unwatched,
    /// The store wakes the caller at the deadline, and also when it no longer watches the deadline.
    Watched,
    /// The deadline has passed.
    Overdue,
}

/// A reply with a deadline. It needs a runtime.
pub(crate) struct UntilDeadline<T> {
    reply: PendingReply<T>,
    deadline: Instant,
    within: Duration,
    /// Most calls of a busy store need no timer, because the store watches their deadlines. Unconstrained, so that a reply that
    /// uses up the budget of its task cannot prevent the timeout.
    timer: Option<Pin<Box<Unconstrained<Sleep>>>>,
}

impl<T> UntilDeadline<T> {
    /// Awaits the reply of a call that began at `began`, for at most `within`.
    pub(crate) fn new(mut reply: PendingReply<T>, began: Instant, within: Duration) -> Self {
        let deadline = began + within;
        if let PendingReply::Call(call) = &mut reply {
            call.set_deadline(began.into_std(), deadline.into_std());
        }
        Self { reply, deadline, within, timer: None }
    }
}

impl<T> Future for UntilDeadline<T> {
    /// `None` when the deadline has passed. The observer of the reply was notified.
    type Output = Option<Result<T, Error>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Poll::Ready(result) = Pin::new(&mut this.reply).poll(context) {
            return Poll::Ready(Some(result));
        }
        let watch = match &this.reply {
            PendingReply::Call(call) => call.watch(),
            PendingReply::Future(..) => DeadlineWatch::Unwatched,
        };
        match watch {
            DeadlineWatch::Watched => return Poll::Pending,
            DeadlineWatch::Overdue => {}
            DeadlineWatch::Unwatched => {
                let deadline = this.deadline;
                let timer = this.timer.get_or_insert_with(|| Box::pin(unconstrained(sleep_until(deadline))));
                if timer.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
        }
        this.reply.missed_deadline(this.within);
        Poll::Ready(None)
    }
}
