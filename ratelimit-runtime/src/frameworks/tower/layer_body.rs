//! `LayerBody`: the body of a response that has passed a layer.

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::task::{Context, Poll};

pin_project! {
    /// The body of a response that has passed a [`RateLimitLayer`](crate::RateLimitLayer): that of the service, or the answer to
    /// a request that a limit of the layer has refused.
    #[derive(Debug)]
    pub struct LayerBody<B> {
        #[pin]
        kind: Kind<B>,
    }
}

pin_project! {
    #[project = KindProjection]
    #[derive(Debug)]
    enum Kind<B> {
        Service { #[pin] body: B },
        Answer { text: Option<Bytes> },
    }
}

impl<B> LayerBody<B> {
    pub(super) fn of_service(body: B) -> Self {
        Self { kind: Kind::Service { body } }
    }

    pub(super) fn of_answer(text: impl Into<Bytes>) -> Self {
        Self { kind: Kind::Answer { text: Some(text.into()).filter(|text: &Bytes| !text.is_empty()) } }
    }
}

impl<B: Body<Data = Bytes>> Body for LayerBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().kind.project() {
            KindProjection::Service { body } => body.poll_frame(context),
            KindProjection::Answer { text } => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Service { body } => body.is_end_stream(),
            Kind::Answer { text } => text.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Service { body } => body.size_hint(),
            Kind::Answer { text } => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
        }
    }
}
