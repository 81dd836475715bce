//! Converts rejections into responses and errors of rocket, and lets the layer change responses.

use super::passage::Passage;
use crate::answer::Answer;
use crate::layer::ResponseParts;
use crate::rejection::convert::ErrorOfRejection;
use crate::rejection::{FromRejection, Rejection};
use rocket::Request;
use rocket::http::Status;
use rocket::response::status::Custom;
use rocket::response::{self, Responder, Response};
use std::io::Cursor;

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`. It is a response, so rocket does not call a catcher.
impl<'r> Responder<'r, 'static> for Rejection {
    fn respond_to(self, request: &'r Request<'_>) -> response::Result<'static> {
        let passage = Passage::of(request);
        let response = respond(self.answer_in(passage.context().as_ref()));
        passage.answered(response.status());
        Ok(response)
    }
}

fn respond(answer: Answer) -> Response<'static> {
    let mut response = Response::build();
    response.status(Status::new(answer.status)).raw_header("content-type", answer.content_type);
    if let Some(seconds) = answer.retry_after {
        response.raw_header("retry-after", seconds.to_string());
    }
    response.sized_body(answer.body.len(), Cursor::new(answer.body)).finalize()
}

impl From<Rejection> for Response<'_> {
    fn from(rejection: Rejection) -> Self {
        respond(rejection.answer())
    }
}

/// Only the status. rocket calls the catcher for this status. The catcher's response has no `Retry-After`. Attach a
/// [`RateLimitLayer`](crate::RateLimitLayer), which adds it.
///
/// There is no `From` implementation, because code such as `Response::build().ok()?` would no longer compile. The compiler can
/// infer the error type of this `?` only while no other type converts into `Status`.
impl ErrorOfRejection for Status {
    fn of_rejection(rejection: Rejection) -> Self {
        Self::new(rejection.answer().status)
    }
}

impl FromRejection for Status {
    fn from_rejection(rejection: Rejection) -> Self {
        Self::of_rejection(rejection)
    }
}

/// The status and the body of the [`answer`](Rejection::answer). [`RateLimitLayer`](crate::RateLimitLayer) adds `Retry-After`.
/// rocket sends a string as `text/plain`, even if it is JSON.
impl From<Rejection> for (Status, String) {
    fn from(rejection: Rejection) -> Self {
        let answer = rejection.answer();
        (Status::new(answer.status), String::from_utf8_lossy(&answer.body).into_owned())
    }
}

/// The same status and body as in `(Status, String)`.
impl From<Rejection> for Custom<String> {
    fn from(rejection: Rejection) -> Self {
        let (status, body) = rejection.into();
        Self(status, body)
    }
}

/// The error that a guard returns: `Outcome::Error(rejection.into())` calls the catcher for the status.
impl From<Rejection> for (Status, Rejection) {
    fn from(rejection: Rejection) -> Self {
        (Status::new(rejection.answer().status), rejection)
    }
}

/// For these types, implements `FromRejection` with the help of `From`.
macro_rules! from_rejection {
    ($($type:ty),*) => {$(
        impl FromRejection for $type {
            fn from_rejection(rejection: Rejection) -> Self {
                rejection.into()
            }
        }
    )*};
}

from_rejection!(Response<'_>, (Status, String), Custom<String>);

/// A response with the passage of its request. The passage stores whether the response is an answer to a refused call, because
/// rocket's response type has no place for it.
pub(super) struct Answering<'a, 'r> {
    pub(super) passage: &'a Passage,
    pub(super) response: &'a mut Response<'r>,
}

impl ResponseParts for Answering<'_, '_> {
    fn status(&self) -> u16 {
        self.response.status().code
    }

    fn set_status(&mut self, status: u16) {
        self.response.set_status(Status::new(status));
    }

    fn has(&self, name: &'static str) -> bool {
        self.response.headers().contains(name)
    }

    fn append(&mut self, name: &'static str, value: &[u8]) {
        self.response.adjoin_raw_header(name, String::from_utf8_lossy(value).into_owned());
    }

    fn is_answer(&self) -> bool {
        self.passage.has_answered(self.response.status())
    }
}
