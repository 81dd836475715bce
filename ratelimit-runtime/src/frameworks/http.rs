//! Code for everything that uses the `http` crate: axum, tonic, poem, salvo, tower and hyper.

use crate::__private::RequestArgument;
use crate::answer::Answered;
use crate::frameworks::{peer, request_type, response_head};
use crate::identity::RequestHeaders;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use std::any::Any;

request_type! {
    [B] Request<B>, |request| {
        headers: request.headers(),
        peer: peer(request.extensions()),
        method: request.method().as_str(),
        path: request.uri().path(),
    }
}

request_type! {
    [] Parts, |request| {
        headers: &request.headers,
        peer: peer(&request.extensions),
    }
}

impl RequestHeaders for HeaderMap {
    /// The binary headers of gRPC (`-bin`) are left out, because the same binary value has several spellings on the wire.
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        if name.ends_with("-bin") && grpc_type(self).is_some() {
            return;
        }
        self.get_all(name).iter().for_each(|value| line(value.as_bytes()));
    }

    // Replaces the default implementation, which is slower: it calls a closure through a pointer for each header line.
    fn header(&self, name: &str) -> Option<&[u8]> {
        if name.ends_with("-bin") && grpc_type(self).is_some() {
            return None;
        }
        let mut values = self.get_all(name).iter();
        let value = values.next()?;
        values.next().is_none().then(|| value.as_bytes())
    }
}

impl RequestArgument for HeaderMap {}

impl<B> ResponseParts for Response<B> {
    response_head!(http, |response, code| *response.status_mut() = code);

    fn is_answer(&self) -> bool {
        #[cfg(feature = "tonic")]
        if super::tonic::is_answer(self.extensions()) {
            return true;
        }
        self.extensions().get::<Answered>().is_some()
    }

    #[cfg(feature = "tonic")]
    fn mend_grpc(
        &mut self,
        rejection: &Rejection,
        corrects: Option<bool>,
    ) -> Option<crate::layer::Swallowed> {
        super::tonic::mend(self, rejection, corrects)
    }
}

pub(super) fn grpc_type(headers: &HeaderMap) -> Option<&HeaderValue> {
    headers.get(CONTENT_TYPE).filter(|content_type| super::is_grpc(content_type.as_bytes()))
}

/// Creates the response to a refused request, in the form that the request's context asks for. Without such a context, the
/// installed form applies.
pub(crate) fn refusal(rejection: &Rejection) -> Response<Vec<u8>> {
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

/// Converts the status of an answer, which is always valid in a response.
pub(super) fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// Only the status. `RateLimitLayer` adds `Retry-After`.
impl From<Rejection> for StatusCode {
    fn from(rejection: Rejection) -> Self {
        status(rejection.answer().status)
    }
}

/// The [`answer`](Rejection::answer) to the rejection, with any body that can be made from text: the body of axum, hyper's
/// `Full<Bytes>`, the body of `lambda_http`, or a `String`.
///
/// The bodies `axum::body::Body`, `Bytes` and `Vec<u8>` keep an answer that is not UTF-8, see
/// [`Answers::custom`](crate::answer::Answers::custom). In any other body, such bytes become the replacement character.
impl<B: From<String> + 'static> From<Rejection> for Response<B> {
    fn from(rejection: Rejection) -> Self {
        refusal(&rejection).map(body)
    }
}

impl<B: From<String> + 'static> FromRejection for Response<B> {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

fn body<B: From<String> + 'static>(bytes: Vec<u8>) -> B {
    String::from_utf8(bytes).map_or_else(|error| of_bytes(error.into_bytes()), B::from)
}

fn of_bytes<B: From<String> + 'static>(bytes: Vec<u8>) -> B {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let bytes = Bytes::from(bytes);
    #[cfg(feature = "axum")]
    if let Some(body) = is::<B>(::axum::body::Body::from(bytes.clone())) {
        return body;
    }
    is::<B>(bytes.to_vec()).or_else(|| is::<B>(bytes)).unwrap_or_else(|| text.into())
}

fn is<B: 'static>(body: impl Any) -> Option<B> {
    let body: Box<dyn Any> = Box::new(body);
    body.downcast().ok().map(|body| *body)
}
