//! `Admitted`: the result of an admitted call.

use super::refused::undecided;
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
    #[expect(clippy::inline_always, reason = "the rejection is then written where the caller reads it")]
    #[inline(always)]
    pub(super) fn of(name: &str, decided: Result<Decision, Error>) -> Result<Self, Rejection> {
        match decided {
            Ok(decision) if decision.allowed() => Ok(Self(decision)),
            Ok(decision) => Err(Rejection::limited(LimitName::copy(name), decision)),
            Err(error) => Err(undecided(LimitName::copy(name), error)),
        }
    }
}
