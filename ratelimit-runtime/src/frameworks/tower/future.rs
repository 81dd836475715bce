//! `ResponseFuture`: the future of a response, for a service with a layer around it.

use super::LayerBody;
use crate::__private::{Admission, Check};
use crate::context::{Contextual, RequestContext};
use crate::frameworks::http::{grpc_type, refusal};
use crate::layer::{Entered, Settings};
use crate::limiter::current::{InScope, in_scope, sync_scope};
use crate::rejection::Rejection;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tower_service::Service;

pin_project! {
    /// The future of a response that passes a [`RateLimitLayer`](crate::RateLimitLayer).
    pub struct ResponseFuture<S, A>
    where
        S: Service<Request<A>>,
    {
        settings: Arc<Settings>,
        entered: Entered,
        // The permits of the layer's limits, held until the service has returned the response.
        admission: Option<Admission>,
        #[pin]
        state: State<S, A>,
    }
}

pin_project! {
    #[project = StateProjection]
    pub(super) enum State<S, A>
    where
        S: Service<Request<A>>,
    {
        Deciding { deciding: Check, next: Option<(S, Request<A>)> },
        Answering { #[pin] future: InScope<Contextual<S::Future>> },
    }
}

impl<S: Service<Request<A>>, A> ResponseFuture<S, A> {
    pub(super) fn new(settings: &Arc<Settings>, entered: Entered, state: State<S, A>) -> Self {
        Self { settings: Arc::clone(settings), entered, admission: None, state }
    }
}

impl<S: Service<Request<A>>, A> State<S, A> {
    pub(super) fn answering(
        settings: &Settings,
        context: &RequestContext,
        service: &mut S,
        request: Request<A>,
    ) -> Self {
        // `call` runs inside the context and the scope, because an inner service, such as another layer, may read them in its
        // `call`.
        let limiter = settings.limiter.as_ref();
        let future = sync_scope(limiter, || context.sync_scope(|| service.call(request)));
        let future = in_scope(settings.limiter.clone(), context.clone().contextual(future));
        Self::Answering { future }
    }
}

impl<S, A, B> Future for ResponseFuture<S, A>
where
    S: Service<Request<A>, Response = Response<B>>,
    B: Body<Data = Bytes>,
{
    type Output = Result<Response<LayerBody<B>>, S::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProjection::Answering { future } => {
                    let response = ready!(future.poll(context))?;
                    *this.admission = None;
                    return Poll::Ready(Ok(finish(this.settings, this.entered, response)));
                }
                StateProjection::Deciding { deciding, next } => {
                    let entered = &this.entered.context;
                    match ready!(entered.sync_scope(|| Pin::new(deciding).poll(context))) {
                        Ok(admission) => *this.admission = Some(admission),
                        Err(rejection) => {
                            let headers = next.as_ref().map(|(_, request)| request.headers());
                            return Poll::Ready(Ok(refuse(this.settings, this.entered, &rejection, headers)));
                        }
                    }
                    next.take()
                }
            };
            // The request is taken only once, because `State::answering` replaces this state.
            let Some((mut service, request)) = next else { return Poll::Pending };
            this.state.set(State::answering(this.settings, &this.entered.context, &mut service, request));
        }
    }
}

fn finish<B>(settings: &Settings, entered: &Entered, mut response: Response<B>) -> Response<LayerBody<B>> {
    settings.finish(entered, &mut response);
    response.map(LayerBody::of_service)
}

/// Answers a request that a limit of the layer has refused. `headers` are the headers of the request.
fn refuse<B>(
    settings: &Settings,
    entered: &Entered,
    rejection: &Rejection,
    headers: Option<&HeaderMap>,
) -> Response<LayerBody<B>> {
    let mut response = entered.context.sync_scope(|| match headers.and_then(grpc_type) {
        // Without the feature `tonic`, a gRPC client derives the gRPC status from the HTTP status of this response.
        #[cfg(feature = "tonic")]
        Some(content_type) => crate::frameworks::tonic::refusal(rejection, content_type),
        _ => refusal(rejection),
    });
    settings.finish(entered, &mut response);
    response.map(LayerBody::of_answer)
}
