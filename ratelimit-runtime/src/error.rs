//! When a decision could not be made.

use crate::limit::LimitError;
use std::borrow::Cow;
use std::fmt;

/// Why a decision could not be made, or a limiter not be built. No error names a key, an identity or a password.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

/// What sort of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store is out of reach, or in no state to decide now. Passes by itself; the failure policy
    /// ([`OnError`](crate::OnError)) applies.
    Unavailable,
    /// The store did not answer before the deadline. The call may have been counted all the same. The failure
    /// policy applies.
    Timeout,
    /// A wrong URL, password, permission, or key content: somebody has to mend something. Never let through,
    /// whatever the failure policy.
    Configuration,
    /// The numbers of the limit are out of range.
    Limit,
    /// The call does not say who calls, but the limit counts for each caller. Such a call is never admitted
    /// ([`Rejection::Unidentified`](crate::Rejection::Unidentified)). A request without an address is a mistake of the
    /// server instead: [`Configuration`](Self::Configuration).
    NoIdentity,
}

impl Error {
    /// An error of a kind, with a message for people; for authors of a [`Store`](crate::store::Store). The message must
    /// not hold keys or identities.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Without a runtime there is no timer, and asking for one would panic.
    pub(crate) fn unless_runtime() -> Result<(), Self> {
        // A task has one, and to see that it is one costs less.
        if tokio::task::try_id().is_some() {
            return Ok(());
        }
        Self::runtime().map(drop)
    }

    /// The runtime that polls the caller.
    pub(crate) fn runtime() -> Result<tokio::runtime::Handle, Self> {
        tokio::runtime::Handle::try_current().map_err(|_| {
            Self::new(
                ErrorKind::Configuration,
                "no tokio runtime here: a store that has to be waited for needs one, with I/O and time enabled",
            )
        })
    }

    /// What sort of failure this is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the failure passes by itself, so that the failure policy applies.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::Timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<LimitError> for Error {
    fn from(error: LimitError) -> Self {
        Self::new(ErrorKind::Limit, error.message())
    }
}
