//! What a refused caller gets, and how it becomes a return value.

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// Why the body of an annotated function did not run.
///
/// Turn it into your own error with `impl From<Rejection> for ApiError`:
///
/// ```
/// use ratelimit::Rejection;
///
/// enum ApiError { TooManyRequests { seconds: Option<u64> }, ServiceUnavailable }
///
/// impl From<Rejection> for ApiError {
///     fn from(rejection: Rejection) -> Self {
///         match rejection {
///             Rejection::Limited(limited) => Self::TooManyRequests { seconds: limited.retry_after_secs() },
///             _ => Self::ServiceUnavailable,
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// The limit is used up.
    Limited(Limited),
    /// No decision could be made, and the call is not to go on without one.
    Unavailable(Unavailable),
}

/// The limit is used up.
#[derive(Clone, Debug)]
pub struct Limited {
    name: Cow<'static, str>,
    decision: Decision,
}

/// No decision could be made.
#[derive(Clone, Debug)]
pub struct Unavailable {
    name: Cow<'static, str>,
    error: Box<Error>,
}

impl Limited {
    /// What the store has decided.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The wait in whole seconds, rounded up, at least 1, as HTTP's `Retry-After` wants it; `None`: never.
    #[must_use]
    pub fn retry_after_secs(&self) -> Option<u64> {
        self.decision.retry_after().map(whole_seconds)
    }
}

impl Unavailable {
    /// Why no decision could be made. For logs: not for the caller.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Whether it is the caller's doing: the call does not say who calls ([`ErrorKind::NoIdentity`]).
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.error.kind() == ErrorKind::NoIdentity
    }
}

impl Rejection {
    pub(crate) fn limited(name: impl Into<Cow<'static, str>>, decision: Decision) -> Self {
        Self::Limited(Limited { name: name.into(), decision })
    }

    pub(crate) fn unavailable(name: impl Into<Cow<'static, str>>, error: Error) -> Self {
        Self::Unavailable(Unavailable { name: name.into(), error: Box::new(error) })
    }

    /// The name of the limit: the text of the attribute's `key`. Of several limits on one function it is the one that
    /// has refused; if more than one has, the one with the longest wait.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Limited(Limited { name, .. }) | Self::Unavailable(Unavailable { name, .. }) => name,
        }
    }

    /// When to come back: after at least 1 ms, rounded up. `None`: never, the cost is above what the limit can
    /// hold, or the call does not say who calls. One second when no decision could be made.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Limited(limited) => limited.decision.retry_after(),
            Self::Unavailable(unavailable) if unavailable.is_anonymous() => None,
            Self::Unavailable(_) => Some(Duration::from_secs(1)),
        }
    }

    /// What the store has decided, if it has.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Limited(limited) => Some(&limited.decision),
            Self::Unavailable(_) => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limited(limited) => match limited.retry_after_secs() {
                Some(1) => f.write_str("too many requests: try again in 1 second"),
                Some(seconds) => write!(f, "too many requests: try again in {seconds} seconds"),
                None if limited.decision.limit() == 0 => {
                    f.write_str("too many requests: this limit is closed")
                }
                None => f.write_str("this request is larger than its rate limit allows"),
            },
            Self::Unavailable(unavailable) if unavailable.is_anonymous() => {
                f.write_str("this request does not say who calls")
            }
            Self::Unavailable(_) => f.write_str("temporarily unavailable: try again in 1 second"),
        }
    }
}

impl std::error::Error for Rejection {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Limited(_) => None,
            Self::Unavailable(unavailable) => Some(&*unavailable.error),
        }
    }
}

/// Whole seconds, rounded up, at least 1.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// A return type that can carry a [`Rejection`].
///
/// Implemented for `Result<T, E>` where `E: From<Rejection>`, and for the response types of the frameworks whose
/// features are on. Implement it for a type of your own that is no `Result`.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into `{Self}`",
    label = "this return type has no way to report a refused call",
    note = "return `Result<.., ratelimit::Rejection>`, or a `Result` with an error of your own for which you write `impl From<ratelimit::Rejection>`",
    note = "or say what a refused call returns, which has to be told apart from a success, as in `on_limit = |rejection| Err(rejection.to_string())`",
    note = "responses of a web framework need its feature, as in `ratelimit-runtime = {{ version = \"..\", features = [\"axum\"] }}`"
)]
pub trait FromRejection {
    /// What a refused call returns.
    fn from_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E: From<Rejection>> FromRejection for Result<T, E> {
    fn from_rejection(rejection: Rejection) -> Self {
        Err(E::from(rejection))
    }
}
