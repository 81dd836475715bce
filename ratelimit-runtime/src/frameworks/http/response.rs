//! The response of the `http` crate to a refused request, and what the layer changes in a response.

use super::grpc_type;
use crate::answer::Answered;
use crate::frameworks::{GRPC, response_head};
use crate::layer::{ResponseParts, Swallowed};
use crate::rejection::Rejection;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use std::mem;

impl<B> ResponseParts for Response<B> {
    response_head!(http, |response, code| *response.status_mut() = code);

    fn is_answer(&self) -> bool {
        let extensions = self.extensions();
        extensions.get::<Answered>().is_some() || GRPC.iter().any(|grpc| (grpc.is_answer)(extensions))
    }

    fn is_grpc(&self) -> bool {
        grpc_type(self.headers()).is_some()
    }

    fn mend_grpc(&mut self, rejection: &Rejection, corrects: Option<bool>) -> Option<Swallowed> {
        let grpc = GRPC.first()?;
        let mut head = Response::new(());
        mem::swap(head.headers_mut(), self.headers_mut());
        mem::swap(head.extensions_mut(), self.extensions_mut());
        let swallowed = (grpc.mend)(&mut head, rejection, corrects);
        mem::swap(head.headers_mut(), self.headers_mut());
        mem::swap(head.extensions_mut(), self.extensions_mut());
        swallowed
    }
}

/// The response to a refused request, in the form that the request or the process asks for. `grpc` is the content type of a gRPC
/// request, which is answered by gRPC.
///
/// Without tonic, clients derive the gRPC status from the HTTP status.
pub(in crate::frameworks) fn refusal(rejection: &Rejection, grpc: Option<&HeaderValue>) -> Response<Vec<u8>> {
    if let (Some(content_type), Some(grpc)) = (grpc, GRPC.first()) {
        return (grpc.refusal)(rejection, content_type);
    }
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
pub(in crate::frameworks) fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// Only the status, without `Retry-After`, which `RateLimitLayer` adds.
impl From<Rejection> for StatusCode {
    fn from(rejection: Rejection) -> Self {
        status(rejection.answer().status)
    }
}
