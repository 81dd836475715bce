//! The layer as a `tower` service, for axum, tonic, hyper and everything else on tower.

mod future;
mod layer_body;

use crate::macros::opaque;
pub use future::ResponseFuture;
use future::State;
pub use layer_body::LayerBody;

use crate::layer::{RateLimitLayer, Settings};
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimitService<S>;

    fn layer(&self, inner: S) -> RateLimitService<S> {
        RateLimitService { inner, settings: Arc::clone(self.settings()) }
    }
}

/// A service with a [`RateLimitLayer`] around it.
#[derive(Clone)]
pub struct RateLimitService<S> {
    inner: S,
    settings: Arc<Settings>,
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
        // The service that was polled ready answers this request; its clone takes the next one.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        let state = State::Deciding { deciding, next: Some((ready, request)) };
        ResponseFuture::new(&self.settings, entered, state)
    }
}

opaque!([S: std::fmt::Debug] RateLimitService<S>, |this| inner = this.inner);
