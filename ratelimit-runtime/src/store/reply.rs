//! What a store answers: at once, or when it is awaited.

use crate::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The answer of a store: here already, or to be awaited.
#[must_use = "a reply may have to be awaited before anything happens"]
pub enum Reply<T> {
    /// The answer is here. It is taken when the reply is awaited.
    Ready(Option<Result<T, Error>>),
    /// The answer needs waiting for.
    Pending(Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>),
}

impl<T> Reply<T> {
    /// A reply that is here already.
    pub const fn ready(answer: Result<T, Error>) -> Self {
        Self::Ready(Some(answer))
    }

    /// A reply that a future will give.
    pub fn pending(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> Self {
        Self::Pending(Box::pin(future))
    }
}

impl<T: Unpin> Future for Reply<T> {
    type Output = Result<T, Error>;

    /// # Panics
    ///
    /// If polled again after it has answered, as futures may.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            #[expect(clippy::expect_used, reason = "the contract of futures")]
            Self::Ready(answer) => Poll::Ready(answer.take().expect("polled after it was ready")),
            Self::Pending(future) => future.as_mut().poll(context),
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Reply::Ready",
            Self::Pending(_) => "Reply::Pending",
        })
    }
}
