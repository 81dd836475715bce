//! What the users of the `http` crate share: axum, tonic, poem, salvo, tower and hyper.

use crate::__private::{RequestArgument, RequestPeer};
use crate::answer::Answered;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::layer;
use crate::rejection::Rejection;
use http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderValue, Request, Response, StatusCode};

impl<B> RequestPeer for Request<B> {
    fn peer(&self) -> Option<PeerAddr> {
        peer(self.extensions())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

impl RequestPeer for Parts {
    fn peer(&self) -> Option<PeerAddr> {
        peer(&self.extensions)
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(&self.headers)
    }
}

/// The peer in the extensions of a request. A [`PeerAddr`] takes precedence, because a listener that reads the PROXY protocol
/// sets it beside the address of the socket.
pub(super) fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    let peer = extensions.get::<PeerAddr>().copied();
    #[cfg(feature = "axum")]
    let peer = peer.or_else(|| super::axum::peer(extensions));
    peer
}

impl RequestHeaders for HeaderMap {
    /// The value of the header. `None` if the header occurs more than once.
    fn header(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.get_all(name).iter();
        let value = values.next()?;
        values.next().is_none().then(|| value.as_bytes())
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).iter().for_each(|value| line(value.as_bytes()));
    }
}

impl<B> RequestHeaders for Request<B> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

impl RequestHeaders for Parts {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers.header_lines(name, line);
    }
}

impl RequestArgument for HeaderMap {}
impl RequestArgument for Parts {}
impl<B> RequestArgument for Request<B> {}

impl<B> layer::RequestParts for Request<B> {
    fn peer(&self) -> Option<PeerAddr> {
        peer(self.extensions())
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
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

/// The response to a refused request, in the form that the request or the process asks for.
pub(crate) fn refusal(rejection: &Rejection, _is_grpc: bool) -> Response<Vec<u8>> {
    let answer = rejection.answer();
    let mut response = Response::new(answer.body);
    *response.status_mut() = status(answer.status);
    if let Ok(content_type) = HeaderValue::from_str(&answer.content_type) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    if let Some(seconds) = answer.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.extensions_mut().insert(Answered);
    response
}

/// The status of an answer, which is always one that a response can have.
pub(super) fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// Only the status, without `Retry-After`, which `RateLimitLayer` adds.
impl From<Rejection> for StatusCode {
    fn from(rejection: Rejection) -> Self {
        status(rejection.answer().status)
    }
}
