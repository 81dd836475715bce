//! Converts rejections into responses and errors of poem, lets the layer change responses, and lets bodies hold permits and
//! charges.

use crate::answer::Answered;
use crate::body::held_body::look_at_head;
use crate::body::hold_body::StreamingResponse;
use crate::body::{Held, HeldBody, HoldBody};
use crate::frameworks::http::{refusal, status};
use crate::frameworks::response_head;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use http_body_util::combinators::BoxBody;
use poem::error::ResponseError;
use poem::http::StatusCode;
use poem::web::sse::SSE;
use poem::{Body, IntoResponse, Response};

impl ResponseParts for Response {
    response_head!(http, |response, code| response.set_status(code));

    fn is_answer(&self) -> bool {
        self.data::<Answered>().is_some()
    }
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
///
/// So handlers return `Result<_, Rejection>` or `poem::Result<_>`. The error of `poem::Result` contains the rejection:
/// `error.downcast_ref::<Rejection>()`.
impl ResponseError for Rejection {
    fn status(&self) -> StatusCode {
        status(self.answer().status)
    }

    fn as_response(&self) -> Response {
        let (parts, body) = refusal(self).into_parts();
        let parts = poem::ResponseParts {
            status: parts.status,
            version: parts.version,
            headers: parts.headers,
            extensions: parts.extensions,
        };
        Response::from_parts(parts, body.into())
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        self.as_response()
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        rejection.as_response()
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

/// Over HTTP/1.1, poem notices only at the next chunk that a client is gone, and drops the body at that time. So a stream that
/// may be silent for long needs a keep-alive, such as [`SSE::keep_alive`]. Otherwise its permit is returned late.
impl HoldBody for Body {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        if held.is_empty() {
            return self;
        }
        let body = BoxBody::from(self);
        Self::from(BoxBody::new(HeldBody::new(body).hold(held)))
    }
}

impl HoldBody for Response {
    type Output = Self;

    fn hold(mut self, mut held: Held) -> Self {
        look_at_head(&mut held, self.status().as_u16(), self.headers());
        let body = self.take_body();
        self.set_body(body.hold(held));
        self
    }
}

/// The stream cannot be taken out of an `SSE`, so the `SSE` becomes a response.
impl HoldBody for SSE {
    type Output = Response;

    fn hold(self, held: Held) -> Response {
        self.into_response().hold(held)
    }
}

/// An `SSE` is a stream: its events are sent after the function has returned.
impl StreamingResponse for SSE {}
