//! The layer as a `tower` service, for axum, tonic, hyper and everything else on tower.

mod future;

pub use future::ResponseFuture;

use crate::layer::{RateLimitLayer, RateLimitService};
use bytes::Bytes;
use future::State;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimitService<S>;

    fn layer(&self, inner: S) -> RateLimitService<S> {
        self.around(inner)
    }
}

impl<S, A, B> Service<Request<A>> for RateLimitService<S>
where
    S: Service<Request<A>, Response = Response<B>> + Clone,
    B: Body<Data = Bytes>,
{
    type Response = Response<LayerBody<B>>;
    type Error = S::Error;
    type Future = ResponseFuture<S, A>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        let entered = self.settings.enter(&request);
        let Some(deciding) = self.settings.decide(&entered.context, &request) else {
            let state = State::answering(&self.settings, &entered.context, &mut self.inner, request);
            return ResponseFuture::new(&self.settings, entered, state);
        };
        // The service that was polled ready answers this request. A clone of the service stays here for the next request.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        let state = State::Deciding { deciding, next: Some((ready, request)) };
        ResponseFuture::new(&self.settings, entered, state)
    }
}

pin_project! {
    /// The body of a response that has passed a [`RateLimitLayer`](crate::RateLimitLayer). It is the body of the service, or
    /// the answer to a request that a limit of the layer has refused.
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
    fn of_service(body: B) -> Self {
        Self { kind: Kind::Service { body } }
    }

    fn of_answer(text: impl Into<Bytes>) -> Self {
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
