//! tonic: streams of messages.

use crate::body::streaming::StreamingResponse;
use crate::body::{Held, HoldBody};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tonic::Status;

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;
type SyncMessages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send + Sync>>;

/// A stream that holds permits and charges until it ends.
struct HeldStream<S> {
    stream: S,
    held: Held,
}

impl<S: Stream<Item = Result<T, Status>> + Unpin, T> Stream for HeldStream<S> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = ready!(Pin::new(&mut self.stream).poll_next(context));
        match &polled {
            Some(Ok(_)) => self.held.count(0),
            Some(Err(_)) => self.held.cut(),
            None => self.held.complete(),
        }
        Poll::Ready(polled)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}

impl<T: 'static> HoldBody for tonic::Response<Messages<T>> {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        self.map(|stream| -> Messages<T> { Box::pin(HeldStream { stream, held }) })
    }
}

impl<T: 'static> HoldBody for tonic::Response<SyncMessages<T>> {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        self.map(|stream| -> SyncMessages<T> { Box::pin(HeldStream { stream, held }) })
    }
}

/// The messages outlive the function that returns them.
impl<S: Stream> StreamingResponse for tonic::Response<S> {}
