//! The results of `list`: overrides, their targets and their effects. Also `KnownLimit`.

use super::entry::{Entry, KEY, NAME};
use crate::limit::{Limit, LimitChange};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// One override.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
/// use ratelimit::RateLimiter;
/// use ratelimit::overrides::{LimitChange, OverrideEffect, OverrideTarget};
///
/// let limiter = RateLimiter::in_memory();
/// limiter.overrides().set("login", LimitChange::new().count(2)).await?;
/// for one in limiter.overrides().list().await? {
///     assert_eq!(one.target(), &OverrideTarget::Name("login".to_owned()));
///     assert_eq!(one.effect(), OverrideEffect::NotMet); // no call of `login` has been made yet
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Override {
    target: OverrideTarget,
    change: LimitChange,
    effect: OverrideEffect,
    expires: Option<Instant>,
}

/// The calls to which an [`Override`] applies.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OverrideTarget {
    /// All keys of the limit with this name.
    Name(String),
    /// One key as it is written in the store, without the format at its end.
    Key(String),
    /// Neither a name nor a key. Another program has written this field, and no process applies it.
    Other(String),
}

/// The effect of an [`Override`] on the calls of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverrideEffect {
    /// The override has changed the limit of a call.
    Applied,
    /// No call has had a limit with this name or key since this process read the override. Other processes may have such calls.
    /// If no process has such calls, the name is probably wrong.
    NotMet,
    /// The override does not fit the limit of a call. The part that fits applies to such calls, so a stricter override still
    /// makes the limit stricter.
    DoesNotFit {
        /// The reason why the override does not fit.
        reason: &'static str,
    },
    /// The text of the override in the store cannot be read, so it changes nothing. Its [`change`](Override::change) is empty.
    Unreadable {
        /// The reason why the text cannot be read.
        reason: &'static str,
    },
}

impl OverrideTarget {
    /// Returns the field in the store.
    pub(super) fn field(&self) -> Vec<u8> {
        match self {
            Self::Name(name) => [NAME, name.as_bytes()].concat(),
            Self::Key(key) => [KEY, key.as_bytes()].concat(),
            Self::Other(field) => field.as_bytes().to_vec(),
        }
    }
}

impl Override {
    pub(super) fn of(field: &[u8], entry: &Entry) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let target = match (field.strip_prefix(NAME), field.strip_prefix(KEY)) {
            (Some(name), _) => OverrideTarget::Name(text(name)),
            (None, Some(key)) => OverrideTarget::Key(text(key)),
            (None, None) => OverrideTarget::Other(text(field)),
        };
        Self { target, change: entry.change, effect: entry.effect(), expires: entry.expires }
    }

    /// Returns the calls to which the override applies.
    pub const fn target(&self) -> &OverrideTarget {
        &self.target
    }

    /// Returns the change of the limit in the code.
    pub const fn change(&self) -> &LimitChange {
        &self.change
    }

    /// Returns the time until the override expires. `None` if it does not expire.
    pub fn expires_in(&self) -> Option<Duration> {
        self.expires.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Returns whether the override has had an effect in this process.
    pub const fn effect(&self) -> OverrideEffect {
        self.effect
    }
}

impl fmt::Debug for OverrideTarget {
    /// Prints no key, because keys contain addresses and user names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.debug_tuple("Name").field(name).finish(),
            Self::Key(_) => f.debug_tuple("Key").finish_non_exhaustive(),
            Self::Other(_) => f.debug_tuple("Other").finish_non_exhaustive(),
        }
    }
}

impl fmt::Debug for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Override")
            .field("target", &self.target)
            .field("change", &format_args!("{}", self.change))
            .field("effect", &self.effect)
            .field("expires", &self.expires)
            .finish()
    }
}

/// The limit of an attribute or a layer that a call has used. [`RateLimiter::limits`](crate::RateLimiter::limits) and
/// [`RateLimiter::published_limits`](crate::RateLimiter::published_limits) return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLimit {
    pub(in crate::limiter) name: Cow<'static, str>,
    pub(in crate::limiter) in_code: Limit,
    pub(in crate::limiter) varies: bool,
    pub(in crate::limiter) overridden: Option<(LimitChange, Limit)>,
    pub(in crate::limiter) version: Option<Box<str>>,
    pub(in crate::limiter) age: Duration,
}

impl KnownLimit {
    /// Returns the name of the limit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the limit in the code. If the limit is an expression, this is its value at the first call.
    pub const fn in_code(&self) -> &Limit {
        &self.in_code
    }

    /// Whether the limit in the code differed between calls, as an expression can.
    pub const fn varies(&self) -> bool {
        self.varies
    }

    /// Returns the limit in force: the limit in the code, with the override of its name applied. Overrides of single keys are not
    /// applied.
    pub fn limit(&self) -> &Limit {
        self.overridden.as_ref().map_or(&self.in_code, |(_, limit)| limit)
    }

    /// Returns the override of the name. `None` if there is no override, or if no part of it fits the limit.
    pub fn overridden(&self) -> Option<&LimitChange> {
        self.overridden.as_ref().map(|(change, _)| change)
    }

    /// Returns the [version of the service](crate::RateLimiterBuilder::service_version) that has published the limit. `None` if
    /// the service has set no version.
    pub fn service_version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the time since a process last published the limit, in whole seconds. It is zero for a limit of this process.
    pub const fn age(&self) -> Duration {
        self.age
    }
}
