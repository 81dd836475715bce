//! `HeldStream`: a stream that holds permits and charges until it ends.

use super::{Held, HoldBody};
use crate::macros::opaque;
use futures_core::Stream;
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// A stream with its permits and charges. It has the same items as the wrapped stream. Each item counts as a message, also
    /// an item that is an error.
    pub struct HeldStream<S> {
        #[pin]
        stream: S,
        held: Held,
    }
}

impl<S: Stream> HeldStream<S> {
    /// Moves permits and charges into a stream.
    pub fn new(stream: S, held: Held) -> Self {
        Self { stream, held }
    }
}

impl<S: Stream> Stream for HeldStream<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = self.project();
        let item = ready!(this.stream.poll_next(context));
        match &item {
            Some(_) => this.held.count(0),
            None => this.held.complete(),
        }
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}

opaque!([S] HeldStream<S>, |this| held = this.held);

/// The new stream is boxed like the old one, so its type stays the same.
macro_rules! boxed {
    ($($stream:ty;)*) => {$(
        impl<'a, T: 'a> HoldBody for Pin<Box<$stream>> {
            type Output = Self;

            fn hold(self, held: Held) -> Self {
                if held.is_empty() { self } else { Box::pin(HeldStream::new(self, held)) }
            }
        }
    )*};
}

boxed! {
    dyn Stream<Item = T> + 'a;
    dyn Stream<Item = T> + Send + 'a;
    dyn Stream<Item = T> + Send + Sync + 'a;
}
