//! `Admitted`: the result of an admitted call, and the rejections of a refused call.

use super::admit::Refused;
use super::report;
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::rejection::Rejection;

/// A call that its limit has admitted.
///
/// [`check`](crate::RateLimiter::check) and [`acquire`](crate::RateLimiter::acquire) return it. A refused call has no
/// `Admitted`, but a [`Rejection`]. Dropping this value does not return the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted(pub(super) Decision);

impl Admitted {
    /// The decision that admitted the call: how many units remain, and when nothing of the limit is in use.
    pub const fn decision(&self) -> Decision {
        self.0
    }

    /// The result of a call of one limit.
    pub(super) fn of(name: &str, decided: Result<Decision, Error>) -> Result<Self, Rejection> {
        match decided {
            Ok(decision) if decision.allowed() => Ok(Self(decision)),
            Ok(decision) => Err(Rejection::limited(LimitName::copy(name), decision)),
            Err(error) => Err(undecided(LimitName::copy(name), error)),
        }
    }
}

impl Refused {
    /// The rejection of a call of one limit.
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
    report::error(name.as_str(), &error, "cannot decide about this limit; rejecting its calls");
    Rejection::undecided(name, error)
}
