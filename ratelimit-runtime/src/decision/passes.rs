//! `Passes`: when a call passes. It takes little space, because it is a part of each decision.

use crate::limit::Limit;
use std::time::Duration;

/// The time at which the call passes, in one word: the case in the two high bits, and the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Passes(u64);

/// The cases of [`Passes`].
pub(super) enum When {
    /// The call is admitted, and must wait this long for its turn.
    InTurn(Micros),
    /// The call is refused, and would pass after this time.
    After(Micros),
    /// The call is refused until a permit is returned or a lease ends. A lease ends after this time at the latest.
    AfterReturn(Micros),
    /// The call is refused and can never pass.
    Never,
}

/// The number of bits of the time, which is at most 146 000 years.
const TIME_BITS: u32 = 62;
const LONGEST: u64 = (1 << TIME_BITS) - 1;
const AFTER: u64 = 1 << TIME_BITS;
const AFTER_RETURN: u64 = 2 << TIME_BITS;
const NEVER: u64 = 3 << TIME_BITS;

impl Passes {
    #[inline]
    pub(super) const fn new(when: When) -> Self {
        const fn bits(time: Micros) -> u64 {
            if time.0 < LONGEST { time.0 } else { LONGEST }
        }
        Self(match when {
            When::InTurn(time) => bits(time),
            When::After(time) => AFTER | bits(time),
            When::AfterReturn(time) => AFTER_RETURN | bits(time),
            When::Never => NEVER,
        })
    }

    /// Creates the value of a refusal by this limit with this wait.
    #[inline]
    pub(super) const fn after(limit: &Limit, wait: Micros) -> Self {
        Self::new(if limit.is_concurrency() { When::AfterReturn(wait) } else { When::After(wait) })
    }

    #[inline]
    pub(super) const fn is_in_turn(self) -> bool {
        self.0 < AFTER
    }

    pub(super) const fn when(self) -> When {
        let time = Micros(self.0 & LONGEST);
        match self.0 & NEVER {
            0 => When::InTurn(time),
            AFTER => When::After(time),
            AFTER_RETURN => When::AfterReturn(time),
            _ => When::Never,
        }
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
