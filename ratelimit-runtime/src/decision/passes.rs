//! `Passes`: when a call passes. It takes little space, because it is a part of each decision.

use crate::limit::Limit;
use std::time::Duration;

/// The time at which the call passes, in one word: the case in the high bits, and the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Passes(u64);

/// The cases of [`Passes`].
#[derive(Clone, Copy)]
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

// The longest wait of a store is 2^53 ms, which needs 63 bits. Turns and leases are far shorter.
const IN_TURN: u64 = 2 << 62;
const AFTER_RETURN: u64 = 3 << 62;
const NEVER: u64 = u64::MAX;

impl Passes {
    #[inline]
    pub(super) const fn new(when: When) -> Self {
        const fn at_most(time: Micros, most: u64) -> u64 {
            if time.0 < most { time.0 } else { most }
        }
        Self(match when {
            When::InTurn(time) => IN_TURN | at_most(time, IN_TURN / 2 - 1),
            When::After(time) => at_most(time, IN_TURN - 1),
            When::AfterReturn(time) => AFTER_RETURN | at_most(time, IN_TURN / 2 - 2),
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
        self.0 & AFTER_RETURN == IN_TURN
    }

    pub(super) const fn when(self) -> When {
        let short = Micros(self.0 & !AFTER_RETURN);
        match self.0 {
            NEVER => When::Never,
            0..IN_TURN => When::After(Micros(self.0)),
            IN_TURN..AFTER_RETURN => When::InTurn(short),
            AFTER_RETURN.. => When::AfterReturn(short),
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
