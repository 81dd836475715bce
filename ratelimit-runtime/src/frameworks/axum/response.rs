//! Rejections as responses of axum.

use crate::frameworks::http::{refusal, status};
use crate::rejection::{FromRejection, Rejection};
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        refusal(&self, None).map(Body::from)
    }
}

/// The same answer, for a rejection that [`Rejection::find`] has found in an error.
impl IntoResponse for &Rejection {
    fn into_response(self) -> Response {
        refusal(self, None).map(Body::from)
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        rejection.into_response()
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

/// The status and the body of the [`answer`](Rejection::answer), without `Retry-After`. axum sends a string as `text/plain`, also if
/// it is JSON.
impl From<Rejection> for (StatusCode, String) {
    fn from(rejection: Rejection) -> Self {
        let answer = rejection.answer();
        (status(answer.status), String::from_utf8_lossy(&answer.body).into_owned())
    }
}
