//! `ParseLimitError`: why a text is not a limit or a change of one.

use crate::{Algorithm, LimitError};
use std::fmt;

/// Why a text is not a [`Limit`](crate::Limit) or a [`LimitChange`](crate::LimitChange).
#[derive(Clone, PartialEq, Eq)]
pub struct ParseLimitError(pub(super) Wrong);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    Word(&'static str, Box<str>),
    /// A text, and why it is not a duration.
    Duration(Box<str>, String),
    Twice(Box<str>),
    Missing,
    Empty,
    Limit(LimitError),
}

impl ParseLimitError {
    pub(crate) fn wrong(what: &'static str, word: &str) -> Self {
        Self(Wrong::Word(what, word.into()))
    }

    /// The error without any part of the text.
    #[doc(hidden)]
    pub fn reason(&self) -> &'static str {
        match &self.0 {
            Wrong::Word("algorithm", _) => "unknown algorithm",
            Wrong::Word("field", _) => "unknown field",
            Wrong::Word(..) => "a field has a wrong value",
            Wrong::Duration(..) => "a field is not a duration",
            Wrong::Twice(_) => "a field is given twice",
            Wrong::Missing => "`count` or `time` is missing",
            Wrong::Empty => "it is empty",
            Wrong::Limit(error) => error.message(),
        }
    }
}

impl fmt::Display for ParseLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXAMPLE: &str = "write a limit as `token_bucket count=20 time=1h burst=5`";
        match &self.0 {
            Wrong::Word("algorithm", word) => {
                let names: Vec<&str> = Algorithm::ALL.iter().map(|algorithm| algorithm.as_str()).collect();
                write!(f, "unknown algorithm `{word}`; expected one of {}: {EXAMPLE}", names.join(", "))
            }
            Wrong::Word("field", word) => {
                write!(
                    f,
                    "unknown field `{word}`; expected `count`, `time`, `zone`, `burst`, `refill`, `borrow`, `wait`, `lease` or `block`, as in `count=20`"
                )
            }
            Wrong::Word(what, word) => write!(f, "`{word}` must be {what}"),
            Wrong::Duration(text, why) => write!(f, "`{text}` is not a duration: {why}"),
            Wrong::Twice(word) => write!(f, "`{word}` is given twice"),
            Wrong::Missing => write!(f, "a limit needs a `count` and a `time`: {EXAMPLE}"),
            Wrong::Empty => f.write_str("expected a change such as `count=50`, or a limit"),
            Wrong::Limit(error) => error.fmt(f),
        }
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
