//! `Passes`: when a call passes. It takes little space, because it is a part of each decision.

use crate::limit::Limit;
use std::time::Duration;

/// The time at which the call passes. One enum holds the flag and the time. A separate flag would slow down each move of a
/// decision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// The call is admitted, and must wait this long for its turn.
    InTurn(Micros),
    /// The call is refused, and would pass after this time.
    After(Micros),
    /// The call is refused until a permit is returned or a lease ends. A lease ends after this time at the latest.
    AfterReturn(Micros),
    /// The call is refused and can never pass.
    Never,
}

impl Passes {
    /// Creates the value of a refusal by this limit with this wait.
    #[inline]
    pub(super) const fn after(limit: &Limit, wait: Micros) -> Self {
        if limit.is_concurrency() { Self::AfterReturn(wait) } else { Self::After(wait) }
    }
}

/// A time in microseconds. It takes half the space of a `Duration`, which matters because decisions are moved often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Micros(pub(super) u64);

impl Micros {
    pub(super) const ZERO: Self = Self(0);

    #[inline]
    pub(super) const fn of_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// Converts a duration, rounded up.
    pub(super) const fn of(duration: Duration) -> Self {
        let rest = duration.subsec_nanos().div_ceil(1000) as u64;
        Self(duration.as_secs().saturating_mul(1_000_000).saturating_add(rest))
    }

    pub(super) const fn duration(self) -> Duration {
        Duration::from_micros(self.0)
    }
}
