//! `Error`: the reason why a decision could not be made, or a limiter could not be built.

use crate::limit::LimitError;
use std::borrow::Cow;
use std::fmt;

/// The reason why a decision could not be made, or a limiter could not be built.
///
/// The message contains no key, no identity and no password. [`Debug`] shows only the message, because a `main` that returns an
/// error prints the error with `Debug`. `{:#?}` also shows the kind.
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
    /// Whether a server of the store has caused the error, and not the call.
    is_of_server: bool,
    /// Whether the store has certainly executed nothing.
    not_executed: bool,
    message: Cow<'static, str>,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store is unavailable or cannot decide now, or its reply cannot be read or has an unknown meaning, such as an error of a
    /// proxy. The store may have charged the call. The error is transient, so the failure policy ([`OnError`](crate::OnError))
    /// applies.
    Unavailable,
    /// The store did not reply before the deadline. The store may have charged the call. The error is transient, so the failure
    /// policy applies.
    Timeout,
    /// Something is set up wrongly, such as a URL, a password or a permission, or a key holds a value that no limit has written.
    /// Somebody must repair it. The call is rejected, whatever the failure policy is. There is one exception: after a
    /// [`RedisStore`](crate::RedisStore) has decided once for a limiter, such an error of its servers is an outage, because
    /// somebody has changed a server. Then the failure policy applies, and the log repeats the error every minute.
    Configuration,
    /// The numbers of the limit are out of range. The call is rejected.
    Limit,
    /// The call has no identity, but the limit counts each caller separately. Such a call is never admitted
    /// ([`Rejection::Unidentified`](crate::Rejection::Unidentified)). If a request has no address, this is a mistake in the
    /// server, and the kind is [`Configuration`](Self::Configuration).
    NoIdentity,
}

/// The reason why a store cannot decide about a key that another program has written. The limiter adds the hash of the caller.
pub(crate) const FOREIGN_VALUE: &str = "the key holds a value that is not the state of a rate limit";

impl Error {
    /// Adds the hash of the caller, if the error is about a value that another program has written.
    pub(crate) fn about(self, caller: Option<impl fmt::Display>) -> Self {
        match caller {
            Some(caller) if self.message.ends_with(FOREIGN_VALUE) => {
                Self { message: format!("{self}; the caller is {caller}").into(), ..self }
            }
            _ => self,
        }
    }

    /// Creates an error, for implementations of a [`Store`](crate::store::Store). The message must not contain keys or
    /// identities, because it is logged.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, is_of_server: false, not_executed: false, message: message.into() }
    }

    /// Creates the error of a server.
    pub(crate) fn of_server(kind: ErrorKind, message: String) -> Self {
        Self { kind, is_of_server: true, not_executed: false, message: message.into() }
    }

    /// Whether somebody must repair a server. A foreign value is a fault of its key only.
    pub(crate) fn is_of_server(&self) -> bool {
        self.is_of_server && self.kind == ErrorKind::Configuration && !self.message.ends_with(FOREIGN_VALUE)
    }

    /// Notes whether the store has certainly executed nothing, so that the request can be sent again.
    pub(crate) fn with_not_executed(self, not_executed: bool) -> Self {
        Self { not_executed, ..self }
    }

    /// Whether the store has certainly executed nothing. `false` if this is not known.
    pub(crate) const fn is_not_executed(&self) -> bool {
        self.not_executed
    }

    /// Without a runtime, creating a timer would panic.
    pub(crate) fn unless_runtime() -> Result<(), Self> {
        // A tokio task always has a runtime, and looking up the id of the task costs less than looking up the runtime.
        if tokio::task::try_id().is_some() {
            return Ok(());
        }
        Self::runtime().map(drop)
    }

    /// The runtime that polls the caller; an error outside of a runtime.
    pub(crate) fn runtime() -> Result<tokio::runtime::Handle, Self> {
        tokio::runtime::Handle::try_current().map_err(|_| {
            Self::new(
                ErrorKind::Configuration,
                "this call is not polled by a tokio runtime; a store such as Redis needs one, with I/O and time enabled",
            )
        })
    }

    /// Returns the kind of this error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the failure is transient: it passes by itself, and the failure policy applies.
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
                .finish_non_exhaustive();
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

/// Says which character at the end or at the beginning of a value nobody sees there, such as the line break that `echo` writes.
pub(crate) fn stray_end(value: &str) -> Option<String> {
    let stray = |place: &str, at: Option<char>| {
        let character = at.filter(|c| *c == ' ' || is_unseen(*c))?;
        Some(format!("it {place} with {}", name_of(character)))
    };
    stray("ends", value.chars().next_back()).or_else(|| stray("begins", value.chars().next()))
}

/// Names the first character in a value that nobody sees. A space inside of a value does not count.
pub(crate) fn unseen(value: &str) -> Option<String> {
    value.chars().find(|c| is_unseen(*c)).map(name_of)
}

fn is_unseen(c: char) -> bool {
    let has_no_width = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    has_no_width || c.is_control() || (c.is_whitespace() && c != ' ')
}

fn name_of(character: char) -> String {
    match character {
        ' ' => "a space".to_owned(),
        '\n' | '\r' => "a line break".to_owned(),
        '\t' => "a tab".to_owned(),
        other => format!("the invisible character U+{:04X}", u32::from(other)),
    }
}
