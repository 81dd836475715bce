//! Rejections as responses and errors of poem, and what the layer changes in a response.

use crate::answer::Answered;
use crate::frameworks::http::{grpc_type, refusal, status};
use crate::frameworks::response_head;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use poem::error::ResponseError;
use poem::http::StatusCode;
use poem::{IntoResponse, Response};

impl ResponseParts for Response {
    response_head!(http, |response, code| response.set_status(code));

    fn is_answer(&self) -> bool {
        self.data::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        grpc_type(self.headers()).is_some()
    }
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
///
/// So handlers return `Result<_, Rejection>`, or `poem::Result<_>`, whose error contains the rejection:
/// `error.downcast_ref::<Rejection>()`.
impl ResponseError for Rejection {
    fn status(&self) -> StatusCode {
        status(self.answer().status)
    }

    fn as_response(&self) -> Response {
        let (parts, body) = refusal(self, None).into_parts();
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
