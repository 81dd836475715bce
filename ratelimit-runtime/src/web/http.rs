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
    #[cfg(feature = "tonic")]
    let peer = peer.or_else(|| super::tonic::peer(extensions));
    peer
}

impl RequestHeaders for HeaderMap {
    /// The value of the header. `None` if the header occurs more than once, and for the binary headers of gRPC (`-bin`), because
    /// one binary value has several spellings on the wire.
    fn header(&self, name: &str) -> Option<&[u8]> {
        if name.ends_with("-bin") && grpc_type(self).is_some() {
            return None;
        }
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

    fn append(&mut self, name: &'static str, value: &[u8]) {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            self.headers_mut().append(HeaderName::from_static(name), value);
        }
    }

    fn is_answer(&self) -> bool {
        let is_answer = self.extensions().get::<Answered>().is_some();
        #[cfg(feature = "tonic")]
        let is_answer = is_answer || super::tonic::is_answer(self.extensions());
        is_answer
    }

    fn is_grpc(&self) -> bool {
        grpc_type(self.headers()).is_some()
    }

    #[cfg(feature = "tonic")]
    fn mend_grpc(&mut self, rejection: &Rejection, corrects: Option<bool>) -> Option<layer::Swallowed> {
        super::tonic::mend(self, rejection, corrects)
    }
}

/// The content type of a gRPC request or response. `None` if it is something else.
pub(crate) fn grpc_type(headers: &HeaderMap) -> Option<&HeaderValue> {
    let content_type = headers.get(CONTENT_TYPE)?;
    let subtype = content_type.as_bytes().strip_prefix(b"application/grpc")?;
    matches!(subtype, [] | [b'+' | b'-' | b';', ..]).then_some(content_type)
}

/// The response to a refused request, in the form that the request or the process asks for. `grpc` is the content type of a gRPC
/// request, which is answered by gRPC.
pub(crate) fn refusal(rejection: &Rejection, grpc: Option<&HeaderValue>) -> Response<Vec<u8>> {
    #[cfg(feature = "tonic")]
    if let Some(content_type) = grpc {
        return super::tonic::refusal(rejection, content_type);
    }
    // Without tonic, clients make a status of gRPC from the status of HTTP.
    let _ = grpc;
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
