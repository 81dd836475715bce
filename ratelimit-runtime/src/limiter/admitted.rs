//! The answer of the methods that charge a call: it was admitted, or it is rejected under the name of its limit.

use super::admit::Refused;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::LimitName;
use crate::rejection::Rejection;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A call that its limit has admitted.
///
/// [`check`](crate::RateLimiter::check) and [`acquire`](crate::RateLimiter::acquire) return it. A refused call has no
/// `Admitted`, but a [`Rejection`]. The units stay charged, whether this value is used or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted(pub(super) Decision);

impl Admitted {
    /// The decision that admitted the call: how much is left, and when the limit is free again.
    pub const fn decision(&self) -> Decision {
        self.0
    }

    pub(super) fn of(decision: Decision) -> Result<Self, Refused> {
        if decision.allowed() { Ok(Self(decision)) } else { Err(Refused::Limited(0, decision)) }
    }
}

impl Refused {
    /// The rejection of a call that asked for one limit.
    pub(super) fn rejection(self, name: LimitName) -> Rejection {
        match self {
            Self::Limited(_, decision) => Rejection::limited(name, decision),
            Self::Failed(error) => undecided(name, error),
        }
    }
}

/// The rejection of a call whose limit could not be decided.
pub(crate) fn undecided(name: impl Into<LimitName>, error: Error) -> Rejection {
    let name = name.into();
    report_error(name.as_str(), &error, "calls are rejected, because their limit cannot be decided");
    Rejection::undecided(name, error)
}

/// Logs an error that the operator must fix, at most once a minute for each limit. The limiter reports outages. A call
/// without identity is the mistake of a client, so it does not fill the log.
pub(crate) fn report_error(name: &str, error: &Error, consequence: &str) {
    /// Names are usually constants. If a program makes them up, the memory that they need is bounded.
    const MOST_NAMES: usize = 1000;
    static LAST: LazyLock<Mutex<HashMap<Box<str>, Instant>>> = LazyLock::new(Mutex::default);
    if error.is_transient() || error.kind() == ErrorKind::NoIdentity {
        return;
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.get(name).is_none_or(|last| last.elapsed() > Duration::from_secs(60)) {
        if last.len() >= MOST_NAMES {
            last.clear();
        }
        last.insert(name.into(), Instant::now());
        tracing::error!(limit = name, %error, "{consequence}");
    }
}
