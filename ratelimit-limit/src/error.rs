//! The error for a limit whose numbers are out of range.

use super::rules::Violation;
use std::fmt;

/// Why the numbers of a [`Limit`](crate::Limit) are invalid. The message says what to write instead.
///
/// Constructors such as [`Limit::try_counter`](crate::Limit::try_counter) return it. They also work in constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LimitError(Violation);

impl LimitError {
    pub(super) const fn new(violation: Violation) -> Self {
        Self(violation)
    }

    /// The message. [`Display`](fmt::Display) writes the same text; this method also works in constants.
    pub const fn message(self) -> &'static str {
        self.0.message()
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for LimitError {
    /// Shows the message, because a `main` that returns an error prints this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LimitError {}
