//! `ParseLimitError`: the reason why a text is not a limit or a change of a limit.

use crate::LimitError;
use crate::rules::Number;
use std::fmt;

pub(super) const EXAMPLE: &str = "write a limit as `token_bucket count=20 time=1h burst=5`";

/// The reason why a text is not a [`Limit`](crate::Limit) or a [`LimitChange`](crate::LimitChange).
#[derive(Clone, PartialEq, Eq)]
pub struct ParseLimitError {
    reason: &'static str,
    message: String,
}

impl ParseLimitError {
    pub(super) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    pub(super) fn unknown_field(word: &str) -> Self {
        let names = Number::ALL.map(|number| format!("`{}`", number.as_str())).join(", ");
        let message = format!("unknown field `{word}`; expected one of {names}, as in `count=20`");
        Self::new("unknown field", message)
    }

    /// The error message without any part of the text that was parsed.
    #[doc(hidden)]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

#[doc(hidden)]
impl From<LimitError> for ParseLimitError {
    fn from(error: LimitError) -> Self {
        Self::new(error.message(), error.message())
    }
}

impl fmt::Display for ParseLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for ParseLimitError {
    /// Shows the message, because a `main` that returns an error prints this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ParseLimitError {}

#[cfg(test)]
mod tests {
    use crate::{LimitChange, ParseLimitError};

    #[test]
    fn a_reason_has_no_part_of_the_text() {
        for (text, reason) in [
            ("", "it is empty"),
            ("secret count=1", "unknown algorithm"),
            ("counter secret=1", "unknown field"),
            ("counter count=secret", "a field has a wrong value"),
            ("counter time=secret", "a field is not a duration"),
            ("counter count=1 count=2", "a field is given twice"),
            ("counter count=1", "`count` or `time` is missing"),
            ("counter count=1 time=0s", "`time` must be at least 1 ms"),
        ] {
            let error: ParseLimitError = text.parse::<LimitChange>().unwrap_err();
            assert_eq!(error.reason(), reason, "{text}");
            assert_eq!(format!("{error:?}"), error.to_string());
        }
    }
}
