//! What the users of the `http` crate share: axum, tonic, poem, salvo, tower and hyper.

use crate::__private::RequestPeer;
use crate::answer::Answered;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::layer;
use crate::rejection::Rejection;
use http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode};

impl<B> layer::RequestParts for Request<B> {
    fn peer(&self) -> Option<PeerAddr> {
        RequestPeer::peer(self)
    }

    fn headers(&self) -> &dyn RequestHeaders {
        self.headers()
    }

    fn method(&self) -> &str {
        self.method().as_str()
    }

    fn path(&self) -> &str {
        self.uri().path()
    }
}

impl<B> layer::ResponseParts for Response<B> {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn set_status(&mut self, status: u16) {
        if let Ok(status) = StatusCode::from_u16(status) {
            *self.status_mut() = status;
        }
    }

    fn has(&self, name: &'static str) -> bool {
        self.headers().contains_key(name)
    }

    fn append(&mut self, name: &'static str, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers_mut().append(HeaderName::from_static(name), value);
        }
    }

    fn is_answer(&self) -> bool {
        self.extensions().get::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        is_grpc(self.headers())
    }
}

/// Whether these are the headers of a gRPC request or response.
pub(crate) fn is_grpc(headers: &http::HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

/// The response to a refused request, in the form that the request or the process asks for.
pub(crate) fn refusal(rejection: &Rejection, _is_grpc: bool) -> Response<Vec<u8>> {
    let answer = rejection.answer();
    let mut response = Response::new(answer.body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    if let Ok(content_type) = HeaderValue::from_str(&answer.content_type) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    if let Some(seconds) = answer.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.extensions_mut().insert(Answered);
    response
}
