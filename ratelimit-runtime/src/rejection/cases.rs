//! The cases of a rejection: what each one knows beside the name of its limit.

#[cfg(doc)]
use super::Rejection;
use crate::decision::Decision;
use crate::error::Error;
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::key::LimitName;
use std::time::Duration;

/// The limit is used up.
#[derive(Clone, Debug)]
pub struct Limited {
    pub(super) name: LimitName,
    pub(super) decision: Decision,
}

/// The call does not say who calls: a header or a user is missing, or the value of `by` is `None`.
///
/// The client made the mistake, so the same call never passes. Calls without an identity do not share a limit.
#[derive(Clone, Debug)]
pub struct Unidentified {
    pub(super) name: LimitName,
    pub(super) error: Box<Error>,
}

/// The limit could not be decided.
#[derive(Clone, Debug)]
pub struct Unavailable {
    pub(super) name: LimitName,
    pub(super) error: Box<Error>,
}

impl Limited {
    /// The decision that refused the call.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The wait in whole seconds, rounded up, at least 1, for HTTP's `Retry-After`. `None` if the call never passes, or if
    /// nobody knows when it will, see [`Rejection::retry_after`].
    pub fn retry_after_secs(&self) -> Option<u64> {
        self.retry_after().map(whole_seconds)
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.decision.retry_after().filter(|_| !self.decision.waits_for_a_return())
    }
}

impl Unidentified {
    /// The call has no identity: an error of kind [`ErrorKind::NoIdentity`]. It contains nothing that the caller sent.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

impl Unavailable {
    /// Why the limit could not be decided. Write it to a log; do not send it to the client.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// The wait in whole seconds, rounded up, at least 1.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}
