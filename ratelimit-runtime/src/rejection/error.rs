//! `Rejection`: the error of a call that was not admitted.

use super::unanswered::Answerable;
use crate::decision::{Decision, Unstamped};
use crate::error::{Error, ErrorKind};
use crate::key::{LimitName, Name};
use std::fmt;
use std::time::Duration;

/// The maximum number of characters of a name that are shown to people.
const MOST_SHOWN: usize = 256;

/// The reason why a call was not admitted.
///
/// Turn it into your own error with `impl From<Rejection> for ApiError`:
///
/// ```
/// use ratelimit::Rejection;
///
/// enum ApiError { TooManyRequests { seconds: Option<u64> }, BadRequest, ServiceUnavailable }
///
/// impl From<Rejection> for ApiError {
///     fn from(rejection: Rejection) -> Self {
///         match rejection {
///             Rejection::Limited(limited) => Self::TooManyRequests { seconds: limited.retry_after_secs() }, // 429
///             Rejection::Unidentified(_) => Self::BadRequest, // 400
///             Rejection::Unavailable(_) => Self::ServiceUnavailable, // 503
///             _ => Self::ServiceUnavailable, // the enum is `#[non_exhaustive]`
///         }
///     }
/// }
/// ```
///
/// [`Debug`] shows the message, the name of the limit and the cause, because a `main` that returns a rejection prints its
/// `Debug` form. `{:#?}` shows the fields.
#[derive(Clone)]
#[non_exhaustive]
pub enum Rejection {
    /// The limit is used up. HTTP status 429; 503 if the limit is one of outgoing calls or
    /// [adaptive](crate::adaptive::Adaptive), because the client has exceeded no quota.
    Limited(Limited),
    /// The call has no identity, but the limit counts each caller separately. HTTP status 400.
    Unidentified(Unidentified),
    /// The limit could not be decided, and the call must not run without a decision. HTTP status 503.
    Unavailable(Unavailable),
}

impl Rejection {
    #[inline]
    pub(crate) fn limited(name: Name<'_>, decision: Decision) -> Self {
        Self::Limited(Limited { name: name.into(), decision: decision.unstamped() })
    }

    /// Creates the rejection of a call whose limit could not be decided.
    pub(crate) fn undecided(name: Name<'_>, error: Error) -> Self {
        let (name, error) = (name.into(), Box::new(error));
        match error.kind() {
            ErrorKind::NoIdentity => Self::Unidentified(Unidentified { name, error }),
            _ => Self::Unavailable(Unavailable { name, error }),
        }
    }

    /// The name of the limit, as in the name of its [`Key`](crate::Key). It is usually the text of the attribute's `key`. If
    /// two limits of a function have the same `key`, the name ends with the time: `search/1s`. If several limits were decided
    /// together, this is the name of the limit that refused the call. If more than one limit refused, this is the name of the
    /// limit with the longest wait.
    pub fn name(&self) -> &str {
        self.limit_name().as_str()
    }

    /// The name of the limit as clients may see it: the text of the attribute's `key`. If the attribute has no `key`, it is the
    /// name of the function without its modules: `search` or `search/1s`. It contains nothing that a caller sent. Placeholders
    /// are shown as they are written in the attribute: `report:{kind}`. For a limit with
    /// [`pause_if`](crate::rate_limit#pause_if), it is just `internal`.
    pub fn public_name(&self) -> &str {
        self.limit_name().public()
    }

    /// Whether the limit is one of outgoing calls, which is not for the client.
    pub(crate) const fn is_internal(&self) -> bool {
        matches!(self, Self::Limited(Limited { name, .. }) if name.name().is_internal())
    }

    /// Whether an adaptive limit has refused the call.
    pub(crate) const fn is_adaptive(&self) -> bool {
        matches!(self, Self::Limited(Limited { name, .. }) if name.name().is_adaptive())
    }

    /// Whether the service has no room for the call, and the client has exceeded no quota.
    pub(crate) const fn is_of_service(&self) -> bool {
        self.is_internal() || self.is_adaptive()
    }

    pub(crate) fn limit_name(&self) -> &LimitName {
        self.answerable().name()
    }

    pub(super) fn answerable(&self) -> &Answerable {
        match self {
            Self::Limited(Limited { name, .. })
            | Self::Unidentified(Unidentified { name, .. })
            | Self::Unavailable(Unavailable { name, .. }) => name,
        }
    }

    /// The wait before the next attempt: at least 1 ms, rounded up. One second if the limit could not be decided.
    ///
    /// `None` if the same call never passes, because its cost is above what the limit can hold, or because the call has no
    /// identity. Also `None` if a concurrency limit refused the call. Nobody knows when a permit will be returned, and the end
    /// of its lease is usually much later.
    pub fn retry_after(&self) -> Option<Duration> {
        self.answerable().set_answered();
        match self {
            Self::Limited(limited) => limited.retry_after(),
            Self::Unidentified(_) => None,
            Self::Unavailable(_) => Some(Duration::from_secs(1)),
        }
    }

    /// The decision that refused the call. `None` if there was no decision.
    pub const fn decision(&self) -> Option<Decision> {
        match self {
            Self::Limited(limited) => Some(limited.decision()),
            Self::Unidentified(_) | Self::Unavailable(_) => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answerable().set_answered();
        self.message(f)
    }
}

impl Rejection {
    fn message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limited(limited) => match limited.retry_after_secs() {
                Some(seconds) => {
                    let (number, unit) = for_people(seconds);
                    let plural = if number == 1 { "" } else { "s" };
                    let what =
                        if self.is_of_service() { "temporarily unavailable" } else { "too many requests" };
                    write!(f, "{what}: try again in {number} {unit}{plural}")
                }
                None if self.is_of_service() => f.write_str("temporarily unavailable"),
                None if limited.decision().capacity() == 0 => {
                    f.write_str("too many requests: this limit is closed")
                }
                None if limited.decision().waits_for_a_return() => {
                    f.write_str("too many requests at the same time: try again later")
                }
                None => f.write_str("this request is larger than its rate limit allows"),
            },
            Self::Unidentified(_) => f.write_str("this request does not say who calls"),
            Self::Unavailable(_) => f.write_str("temporarily unavailable: try again in 1 second"),
        }
    }
}

/// Converts seconds to the unit that people use for such a time, rounded up.
const fn for_people(seconds: u64) -> (u64, &'static str) {
    match seconds {
        0..=120 => (seconds, "second"),
        121..=7200 => (seconds.div_ceil(60), "minute"),
        7201..=172_800 => (seconds.div_ceil(3600), "hour"),
        _ => (seconds.div_ceil(86_400), "day"),
    }
}

impl fmt::Debug for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fields, cause): (&dyn fmt::Debug, _) = match self {
            Self::Limited(limited) => (limited, None),
            Self::Unidentified(unidentified) => (unidentified, Some(&unidentified.error)),
            Self::Unavailable(unavailable) => (unavailable, Some(&unavailable.error)),
        };
        if f.alternate() {
            return fields.fmt(f);
        }
        // The name of a limit that a method has decided may come from a client, so it is shortened and escaped.
        let name: String = self.name().chars().take(MOST_SHOWN).flat_map(char::escape_debug).collect();
        self.message(f)?;
        write!(f, " (limit `{name}`)")?;
        cause.map_or(Ok(()), |cause| write!(f, "\n\nCaused by:\n    {cause}"))
    }
}

impl std::error::Error for Rejection {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Limited(_) => None,
            Self::Unidentified(unidentified) => Some(&*unidentified.error),
            Self::Unavailable(unavailable) => Some(&*unavailable.error),
        }
    }
}

/// The limit is used up.
#[derive(Clone)]
pub struct Limited {
    pub(super) name: Answerable,
    pub(super) decision: Unstamped,
}

/// The call has no identity: a header or a user is missing, or the value of `by` is `None`.
///
/// The client made the mistake, so the same call never passes. Calls without an identity do not share a limit.
#[derive(Clone, Debug)]
pub struct Unidentified {
    pub(super) name: Answerable,
    pub(super) error: Box<Error>,
}

/// The limit could not be decided.
#[derive(Clone, Debug)]
pub struct Unavailable {
    pub(super) name: Answerable,
    pub(super) error: Box<Error>,
}

impl Limited {
    /// The decision that refused the call.
    pub const fn decision(&self) -> Decision {
        self.decision.decision()
    }

    /// The wait in whole seconds, rounded up, at least 1, for HTTP's `Retry-After`. `None` if the call never passes or if the
    /// wait is unknown, see [`Rejection::retry_after`].
    pub fn retry_after_secs(&self) -> Option<u64> {
        self.retry_after().map(whole_seconds)
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.decision().retry_after().filter(|_| !self.decision().waits_for_a_return())
    }
}

impl fmt::Debug for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limited").field("name", &self.name).field("decision", &self.decision()).finish()
    }
}

impl Unidentified {
    /// The error, which has the kind [`ErrorKind::NoIdentity`]. It contains nothing that the caller sent.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

impl Unavailable {
    /// The error that prevented a decision. Write it to a log; do not send it to the client.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// Rounds a wait up to whole seconds, at least 1.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}
