//! The result of `list`: overrides, their targets, and whether they have an effect.

use super::entry::{Entry, KEY, NAME};
use crate::limit::LimitChange;
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

/// The calls that an [`Override`] is for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OverrideTarget {
    /// All keys of the limit with this name.
    Name(String),
    /// One key, as it is in the store, without the format at its end.
    Key(String),
    /// Neither: another program has written this field, and no process applies it.
    Other(String),
}

/// The effect of an [`Override`] on the calls of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverrideEffect {
    /// It has changed the limit of a call.
    Applied,
    /// No call of this process has had a limit with this name or key since the process knows the override. Other processes
    /// may have such calls. If none has, the name is probably wrong.
    NotMet,
    /// It does not fit the limit of a call. What fits of it applies to such calls, so that a tighter limit is tighter.
    DoesNotFit {
        /// Why it does not fit.
        reason: &'static str,
    },
    /// Its text in the store cannot be read, so it changes nothing. Its [`change`](Override::change) is empty.
    Unreadable {
        /// Why it cannot be read.
        reason: &'static str,
    },
}

impl Override {
    pub(super) fn of(field: &[u8], entry: &Entry) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let target = match (field.strip_prefix(NAME), field.strip_prefix(KEY)) {
            (Some(name), _) => OverrideTarget::Name(text(name)),
            (None, Some(key)) => OverrideTarget::Key(text(key)),
            (None, None) => OverrideTarget::Other(text(field)),
        };
        Self { target, change: *entry.change(), effect: entry.effect(), expires: entry.expires() }
    }

    /// The calls that it is for.
    pub const fn target(&self) -> &OverrideTarget {
        &self.target
    }

    /// The change of the limit in the code.
    pub const fn change(&self) -> &LimitChange {
        &self.change
    }

    /// How long it still applies. `None` if it does not expire.
    pub fn expires_in(&self) -> Option<Duration> {
        self.expires.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether it has had an effect in this process.
    pub const fn effect(&self) -> OverrideEffect {
        self.effect
    }
}

impl fmt::Debug for OverrideTarget {
    /// Keys hold addresses and user names: they are not printed.
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
