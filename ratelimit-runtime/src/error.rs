//! `Error`: why a decision could not be made, or a limiter not be built.

use crate::limit::LimitError;
use std::borrow::Cow;
use std::fmt;

/// Why a decision could not be made, or a limiter not be built.
///
/// The message contains no key, no identity and no password.
/// [`Debug`] shows the message, because a `main` that returns an error prints that. `{:#?}` also shows the kind.
///
/// ```
/// use ratelimit::{ErrorKind, RateLimiter};
///
/// let error = RateLimiter::builder().redis("redis:/127.0.0.1").build().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Configuration);
/// assert!(!error.is_transient()); // somebody has to correct the URL
/// ```
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store is unavailable or cannot decide now, or its reply cannot be read or has an unknown meaning, such as an error of a
    /// proxy. It may have charged the call. This is transient, so the failure policy ([`OnError`](crate::OnError)) applies.
    Unavailable,
    /// The store did not reply before the deadline. It may have charged the call. This is transient, so the failure
    /// policy applies.
    Timeout,
    /// Something is set up wrongly, such as a URL, a password or a permission, or a key holds a value that no limit has
    /// written. Somebody has to repair it. The call is rejected, whatever the failure policy is.
    Configuration,
    /// The numbers of the limit are out of range. The call is rejected.
    Limit,
    /// The call does not say who calls, but the limit counts for each caller. Such a call is never admitted
    /// ([`Rejection::Unidentified`](crate::Rejection::Unidentified)). A request without an address is a mistake of the
    /// server instead: [`Configuration`](Self::Configuration).
    NoIdentity,
}

/// Why a store cannot decide about a key of another program. The limiter adds whose key it is.
pub(crate) const FOREIGN_VALUE: &str = "the key holds a value that is not the state of a rate limit";

impl Error {
    /// Adds the hash of the caller to an error about a value of another program.
    pub(crate) fn about(self, caller: Option<impl fmt::Display>) -> Self {
        match caller {
            Some(caller) if self.message.ends_with(FOREIGN_VALUE) => {
                Self { message: format!("{self}; the caller is {caller}").into(), ..self }
            }
            _ => self,
        }
    }

    /// Creates an error; for authors of a [`Store`](crate::store::Store). The message must not contain keys or identities,
    /// because it is logged.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns an error if no tokio runtime polls the caller. Without a runtime, creating a timer would panic.
    pub(crate) fn unless_runtime() -> Result<(), Self> {
        // A tokio task always has a runtime, and asking for its id costs less than looking up the
        // runtime.
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
                "this call is not polled by a tokio runtime; a store such as Redis needs one, with I/O and time enabled",
            )
        })
    }

    /// The kind of this error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the failure is transient, so that the failure policy applies.
    pub const fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::Timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f
                .debug_struct("Error")
                .field("kind", &self.kind)
                .field("message", &self.message)
                .finish();
        }
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<LimitError> for Error {
    fn from(error: LimitError) -> Self {
        Self::new(ErrorKind::Limit, error.message())
    }
}
