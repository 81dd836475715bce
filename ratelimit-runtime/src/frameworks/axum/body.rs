//! axum: its body, `Sse`, and responses that cannot contain another body.

use crate::body::hold_body::StreamingResponse;
use crate::body::{Held, HeldBody, HoldBody, Holding};
use axum::body::Body;
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};

impl HoldBody for Body {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        if held.is_empty() { self } else { Self::new(HeldBody::new(self).hold(held)) }
    }
}

/// An `Sse` does not release its stream. So it stays beside the permits and charges until it becomes a response.
impl<S> HoldBody for Sse<S> {
    type Output = Holding<Self>;

    fn hold(self, held: Held) -> Holding<Self> {
        Holding { response: Ok(self), held }
    }
}

/// The stream of events outlives the function that returns it.
impl<S> StreamingResponse for Sse<S> {}

impl<R: IntoResponse> IntoResponse for Holding<R> {
    fn into_response(self) -> Response {
        match self.response {
            Ok(response) => response.into_response().hold(self.held),
            Err(rejection) => rejection.into_response(),
        }
    }
}
