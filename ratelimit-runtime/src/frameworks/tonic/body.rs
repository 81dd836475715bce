//! tonic: streams of messages.

use crate::body::hold_body::{HoldStream, StreamingResponse};
use crate::body::{Held, HoldBody, Holding};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tonic::Status;

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;
type SyncMessages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send + Sync>>;

/// A refused call has no messages.
impl<S: Stream<Item = Result<T, Status>> + Unpin, T> Stream for Holding<S> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Ok(stream) = &mut self.response else { return Poll::Ready(None) };
        let polled = ready!(Pin::new(stream).poll_next(context));
        match &polled {
            Some(Ok(_)) => self.held.count(0),
            Some(Err(_)) => self.held.cut(),
            None => self.held.complete(),
        }
        Poll::Ready(polled)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.response.as_ref().map_or((0, Some(0)), Stream::size_hint)
    }
}

impl<S> HoldStream for Holding<S> {
    type Stream = S;

    fn hold(stream: S, held: Held) -> Self {
        Self { response: Ok(stream), held }
    }
}

/// A boxed stream is replaced by another one.
macro_rules! boxed {
    ($($messages:ident)*) => {$(
        impl<T: 'static> HoldStream for $messages<T> {
            type Stream = Self;

            fn hold(stream: Self, held: Held) -> Self {
                Box::pin(Holding { response: Ok(stream), held })
            }
        }

        impl<T: 'static> HoldBody for tonic::Response<$messages<T>> {
            type Output = Self;

            fn hold(self, held: Held) -> Self {
                self.map(|stream| HoldStream::hold(stream, held))
            }
        }
    )*};
}

boxed! { Messages SyncMessages }

/// The messages outlive the function that returns them.
impl<S: Stream> StreamingResponse for tonic::Response<S> {}
