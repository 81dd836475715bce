//! poem: its body, its response, and `SSE`.

use crate::body::held_body::set_length;
use crate::body::hold_body::StreamingResponse;
use crate::body::{Held, HeldBody, HoldBody};
use http_body_util::combinators::BoxBody;
use poem::web::sse::SSE;
use poem::{Body, IntoResponse, Response};

/// Over HTTP/1.1, poem notices a lost client only at the next chunk, and then drops the body. Streams that may be silent for long need a keep-alive, such as [`SSE::keep_alive`], to return their permits.
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
        held.warn_of_upgrade(self.status().as_u16());
        set_length(&mut held, self.headers());
        let body = self.take_body();
        self.set_body(body.hold(held));
        self
    }
}

/// An `SSE` does not release its stream, so it becomes a response.
impl HoldBody for SSE {
    type Output = Response;

    fn hold(self, held: Held) -> Response {
        self.into_response().hold(held)
    }
}

/// The stream of events outlives the function that returns it.
impl StreamingResponse for SSE {}
