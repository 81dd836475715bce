//! The layer as a middleware of actix-web.

use crate::context::RequestContext;
use crate::layer::{Entered, RateLimitLayer, RateLimitService, Settings};
use crate::rejection::Rejection;
use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::http::Method;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use actix_web::{Error, HttpResponse, ResponseError};
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

impl<S, B> Transform<S, ServiceRequest> for RateLimitLayer
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = RateLimitService<Rc<S>>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(self.around(Rc::new(service))))
    }
}

impl<S, B> Service<ServiceRequest> for RateLimitService<Rc<S>>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>>>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let entered = self.settings.enter(&request);
        let deciding = self.settings.decide(&entered.context, &request);
        let (inner, settings) = (Rc::clone(&self.inner), Arc::clone(&self.settings));
        let is_head = request.method() == Method::HEAD;
        Box::pin(async move {
            let answer = async |request| inner.call(request).await;
            match settings.pass(&entered.context, deciding, request, answer).await {
                Err((rejection, request)) => Ok(refuse(&settings, &entered, rejection, request)),
                Ok(Ok(mut response)) => {
                    settings.finish(&entered, response.response_mut());
                    Ok(if is_head { without_body(response) } else { response.map_into_left_body() })
                }
                Ok(Err(error)) => Err(finish_error(settings, entered, error)),
            }
        })
    }
}

/// Drops the body of the response to a HEAD request. The server would poll the body to its end without sending it, even after
/// the client has left, so an endless stream would hold its permit for ever.
fn without_body<B: MessageBody>(response: ServiceResponse<B>) -> ServiceResponse<EitherBody<B>> {
    response.map_body(|_, body| EitherBody::right(BoxBody::new(Unsent(body.size()))))
}

/// A body whose size is sent, but not its bytes.
struct Unsent(BodySize);

impl MessageBody for Unsent {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// Answers a request that a limit of the layer has refused.
fn refuse<B>(
    settings: &Settings,
    entered: &Entered,
    rejection: Rejection,
    request: ServiceRequest,
) -> ServiceResponse<EitherBody<B>> {
    let mut response = entered.context.sync_scope(|| HttpResponse::from(rejection));
    settings.finish(entered, &mut response);
    let (request, _) = request.into_parts();
    ServiceResponse::new(request, response.map_into_right_body())
}

/// Completes the response to an error of a middleware. actix makes this response only after the error has passed all
/// middlewares, so the changes are stored in the error.
fn finish_error(settings: Arc<Settings>, entered: Entered, mut error: Error) -> Error {
    let rejection = error.as_error::<Rejection>().cloned();
    error.add_response_mapper(move |response| {
        let mut response = match &rejection {
            Some(rejection) => in_form(&entered.context, rejection, response),
            None => response,
        };
        settings.finish(&entered, &mut response);
        response
    });
    error
}

/// Rewrites the response of a rejection in the form that the request's context asks for. The response itself was made outside
/// of that context.
fn in_form(context: &RequestContext, rejection: &Rejection, mut response: HttpResponse) -> HttpResponse {
    let (formed, body) = context.sync_scope(|| rejection.error_response()).into_parts();
    *response.status_mut() = formed.status();
    if let Some(content_type) = formed.headers().get(CONTENT_TYPE) {
        response.headers_mut().insert(CONTENT_TYPE, content_type.clone());
    }
    response.set_body(body)
}
