//! Answers to refused requests.

use crate::context::Recorded;
use crate::rejection::{Rejection, whole_seconds};
use std::borrow::Cow;

/// The form of the answers to refused requests.
#[derive(Clone, Debug, Default)]
pub struct Answers {}

/// The header fields of responses that tell clients their limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Headers {
    /// `RateLimit` and `RateLimit-Policy`.
    #[default]
    Draft11,
    /// None.
    None,
}

impl Headers {
    pub(crate) fn fields(self, _decisions: &[Recorded]) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

pub(crate) mod fields {
    pub(crate) fn are_sent_with(status: u16) -> bool {
        !(300..400).contains(&status)
    }
}

/// The answer to a refused request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u64>,
    /// The content type.
    pub content_type: Cow<'static, str>,
    /// The body.
    pub body: Vec<u8>,
}

/// Marks a response that was made from a rejection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered;

impl Rejection {
    /// The status code.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Limited(_) => 429,
            Self::Unidentified(_) => 400,
            Self::Unavailable(_) => 503,
        }
    }

    /// The answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        Answer {
            status: self.status(),
            retry_after: self.retry_after().map(whole_seconds),
            content_type: Cow::Borrowed("text/plain; charset=utf-8"),
            body: self.to_string().into_bytes(),
        }
    }
}
