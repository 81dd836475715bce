//! The answer of a store: available at once, or after waiting.

use crate::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

/// The answer of a store: a future that borrows nothing. It may be ready from the start.
#[must_use = "a reply may have to be awaited before anything happens"]
pub struct Reply<T>(Answer<T>);

pub(crate) enum Answer<T> {
    /// Taken when the reply is awaited.
    Ready(Option<Result<T, Error>>),
    Pending(PendingReply<T>),
}

/// An answer that needs waiting for.
pub(crate) struct PendingReply<T> {
    future: Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>,
    observer: Option<Arc<dyn MissedDeadline>>,
}

/// Is told when nobody waits for a reply any longer, because it has missed its deadline.
///
/// A store whose server misses many deadlines in a row may fail at once until the server is fast enough again.
pub trait MissedDeadline: Send + Sync {
    /// The reply has not come within this time, and is about to be dropped.
    fn missed_deadline(&self, deadline: Duration);
}

impl<T> Reply<T> {
    /// A reply that is ready.
    pub const fn ready(answer: Result<T, Error>) -> Self {
        Self(Answer::Ready(Some(answer)))
    }

    /// A reply that a future will give.
    pub fn pending(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> Self {
        Self(Answer::Pending(PendingReply { future: Box::pin(future), observer: None }))
    }

    /// The same reply, whose observer is told when it misses its deadline. A reply that is ready misses none.
    pub fn observed_by(mut self, observer: Arc<dyn MissedDeadline>) -> Self {
        if let Answer::Pending(pending) = &mut self.0 {
            pending.observer = Some(observer);
        }
        self
    }

    /// What it is: ready, or to be awaited.
    pub(crate) fn into_answer(self) -> Answer<T> {
        self.0
    }
}

impl<T> From<Answer<T>> for Reply<T> {
    fn from(answer: Answer<T>) -> Self {
        Self(answer)
    }
}

impl<T> PendingReply<T> {
    /// Who is told when the reply misses its deadline.
    pub(crate) fn observer(&self) -> Option<Arc<dyn MissedDeadline>> {
        self.observer.clone()
    }

    /// Tells the observer that the reply has not come within this time.
    pub(crate) fn missed_deadline(&self, deadline: Duration) {
        if let Some(observer) = &self.observer {
            observer.missed_deadline(deadline);
        }
    }
}

impl<T> Future for PendingReply<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.future.as_mut().poll(context)
    }
}

impl<T: Unpin> Future for Reply<T> {
    type Output = Result<T, Error>;

    /// # Panics
    ///
    /// If polled again after it has answered, as futures may.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.get_mut().0 {
            #[expect(clippy::expect_used, reason = "the contract of futures")]
            Answer::Ready(answer) => Poll::Ready(answer.take().expect("polled after it was ready")),
            Answer::Pending(pending) => Pin::new(pending).poll(context),
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Answer::Ready(_) => "Reply::Ready",
            Answer::Pending(_) => "Reply::Pending",
        })
    }
}

/// What a call is waiting for now: a missed deadline counts against that, and nothing else.
#[derive(Default)]
pub(crate) struct Awaited(Mutex<Option<Arc<dyn MissedDeadline>>>);

impl Awaited {
    /// From now on the call waits for this one.
    pub(crate) fn set(&self, awaited: Arc<dyn MissedDeadline>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(awaited);
    }

    /// What it has waited for has come.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the call waits for anything.
    pub(crate) fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl MissedDeadline for Awaited {
    fn missed_deadline(&self, deadline: Duration) {
        // Several calls may wait for one fetch, and each of them counts.
        let awaited = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(awaited) = awaited {
            awaited.missed_deadline(deadline);
        }
    }
}
