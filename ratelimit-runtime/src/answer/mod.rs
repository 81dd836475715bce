//! `Answer`: what a web client receives for a rejection, in the form that the application has chosen.
//!
//! All frameworks convert a [`Rejection`] with [`Rejection::answer`], so their answers are the same. Nothing here depends on a
//! framework.

mod fields;
mod find;
mod form;
mod names;
mod problem;
pub(crate) mod recorded;
#[cfg(test)]
mod tests;

pub use fields::RateLimitHeaders;
pub use form::{Answers, install_answers};

use crate::rejection::{Rejection, whole_seconds};
use std::borrow::Cow;
use std::sync::Once;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The answer that a web client receives for a [`Rejection`]: the parts of an HTTP response, without the types of a framework.
///
/// [`Rejection::answer`] makes it. [`Answers::custom`] changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The status: 429, 400 or 503, as in [`Rejection::status`]. An application may set any status from 200 to 599.
    pub status: u16,
    /// The value of `Retry-After`, in whole seconds. With `None` the response has no such header, because the same call never
    /// passes or because the time is unknown.
    pub retry_after: Option<u64>,
    /// The value of `Content-Type`.
    pub content_type: Cow<'static, str>,
    /// The body.
    pub body: Vec<u8>,
}

/// Marks a response that was made from a rejection, so that a middleware can distinguish it from the application's own
/// responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered;

impl Answer {
    /// The answer of a rejection in plain text.
    fn text(rejection: &Rejection) -> Self {
        Self {
            status: rejection.status(),
            retry_after: rejection.retry_after().map(whole_seconds),
            content_type: Cow::Borrowed(TEXT),
            body: rejection.to_string().into_bytes(),
        }
    }

    /// Sets the body to `json` and the content type to `application/json`. The JSON is not checked.
    pub fn set_json(&mut self, json: impl Into<Vec<u8>>) {
        self.content_type = Cow::Borrowed(JSON);
        self.body = json.into();
    }

    /// Replaces values of an application that are invalid in an HTTP response.
    fn sendable(mut self, rejection: &Rejection) -> Self {
        static REPORTED: Once = Once::new();
        let report = |what: &str, value: &dyn std::fmt::Debug| {
            REPORTED.call_once(|| {
                tracing::error!(
                    ?value,
                    "`Answers::custom` has set {what} that no response can have; ignoring it"
                );
            });
        };
        if !(200..=599).contains(&self.status) {
            report("a status", &self.status);
            self.status = rejection.status();
        }
        let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if self.content_type.is_empty() || !self.content_type.bytes().all(printable) {
            report("a content type", &self.content_type);
            self.content_type = Cow::Borrowed("application/octet-stream");
        }
        self
    }
}

impl Rejection {
    /// The HTTP status: 429 if the limit is used up, 400 if the call has no identity, 503 if the limit could not be decided. Also
    /// 503 if the limit is one of outgoing calls ([`pause_if`](crate::rate_limit#pause_if)) or
    /// [adaptive](crate::adaptive::Adaptive), because the client has done nothing too often.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Limited(_) if self.is_of_service() => 503,
            Self::Limited(_) => 429,
            Self::Unidentified(_) => 400,
            Self::Unavailable(_) => 503,
        }
    }
}
