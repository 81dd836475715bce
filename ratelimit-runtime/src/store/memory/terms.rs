//! `Terms`: what an algorithm reads about a request. `Verdict`: what the algorithm returns. The store makes the decision from
//! the verdict.

use crate::decision::{Decision, PackedDecision};
use crate::limit::Limit;
use crate::store::cost::Cost;
use crate::store::{Mode, Request};

/// The values of a request that an algorithm reads, at the time of the decision.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) limit: &'a Limit,
    /// The hash of the key.
    pub(super) hash: u64,
    pub(super) mode: Mode,
    pub(super) cost: u32,
    /// The cost plus the units that are left to others.
    pub(super) needed: i64,
    /// The caller that shares the limit with others.
    pub(super) caller: Option<u64>,
    pub(super) permit: u64,
    /// The longest time in ms that the request may wait for its turn.
    pub(super) longest_wait: u64,
    /// If set, the cost is charged after this wait in ms, even if it does not fit.
    pub(super) granted: Option<u64>,
    /// The time of the clock in ms. `now_us` is the same time in microseconds.
    pub(super) now: u64,
    pub(super) now_us: u64,
}

impl<'a> Terms<'a> {
    /// Creates the terms of a request. If the request's limit has calendar windows, `limit` is the limit for the current window.
    #[inline]
    pub(super) fn of(mode: Mode, request: &Request, limit: &'a Limit, now_us: u64) -> Self {
        Self {
            mode,
            cost: request.cost(),
            needed: request.needed(),
            caller: request.caller(),
            permit: request.permit(),
            longest_wait: if mode == Mode::Charge && request.may_reserve() { limit.wait_ms() } else { 0 },
            ..Self::peek(limit, request.key().hash(), now_us)
        }
    }

    /// Creates the terms of a request in mode `Check`.
    #[inline]
    pub(super) fn check(limit: &'a Limit, hash: u64, cost: Cost, now_us: u64) -> Self {
        let needed = i64::from(cost.units) + i64::from(cost.keep);
        Self { mode: Mode::Check, cost: cost.units, needed, ..Self::peek(limit, hash, now_us) }
    }

    /// Creates the terms of a request that takes nothing, to find out what is free.
    #[inline]
    pub(super) fn peek(limit: &'a Limit, hash: u64, now_us: u64) -> Self {
        let (mode, cost, needed, caller, permit, longest_wait) = (Mode::Peek, 0, 0, None, 0, 0);
        let now = now_us / 1000;
        Self { limit, hash, mode, cost, needed, caller, permit, longest_wait, granted: None, now, now_us }
    }

    /// Returns the same terms with another cost, which is charged after a wait of `wait` ms, even if the units are not free.
    pub(super) fn granted(&self, cost: u32, wait: u64) -> Self {
        Self { cost, granted: Some(wait), ..*self }
    }

    pub(super) fn charges(&self) -> bool {
        self.mode != Mode::Peek && self.cost > 0
    }

    /// Returns the wait in ms after which the cost is charged, or `None` if nothing is charged. `wait_ms` is the time until the
    /// cost fits.
    #[inline]
    pub(super) fn turn(&self, wait_ms: Option<u64>) -> Option<u64> {
        self.granted.or_else(|| wait_ms.filter(|wait| self.charges() && *wait <= self.longest_wait))
    }

    /// Creates the verdict after a charge with this stamp, which has left `room` units free.
    #[inline]
    pub(super) fn charged(&self, wait: u64, room: i64, reset_ms: u64, stamp: u64) -> Verdict {
        let stamp = if self.mode == Mode::Charge { stamp } else { 0 };
        Verdict { wait_ms: Some(wait), room, reset_ms, stamp }
    }

    pub(super) fn keeps(&self) -> bool {
        self.needed != i64::from(self.cost)
    }

    /// Returns how many of `units` units are taken without a check if `room` units are free. The debt is at most one capacity.
    pub(super) fn takeable(&self, units: u32, room: i64) -> u32 {
        let units = i64::from(units).min(room.saturating_add(i64::from(self.limit.capacity())));
        u32::try_from(units).unwrap_or(0)
    }

    pub(super) fn used(&self, room: i64) -> u32 {
        u32::try_from(i64::from(self.limit.capacity()) - room).unwrap_or(u32::MAX)
    }
}

/// The result of an algorithm for a request, after the charge if there was one. After the shard is unlocked, the store makes
/// the decision from this verdict.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    /// The time in ms until the cost fits. `None` if it never fits.
    pub(super) wait_ms: Option<u64>,
    /// The units that are free. Negative if the limit is in debt.
    pub(super) room: i64,
    /// The time in ms until nothing is in use.
    pub(super) reset_ms: u64,
    /// The number by which the charge is found again, so that units can be given back. 0 if nothing was charged, or if the
    /// request needs no stamp.
    pub(super) stamp: u64,
}

impl Verdict {
    /// The verdict of a limit that refuses all requests.
    pub(super) const NEVER: Self = Self { wait_ms: None, room: 0, reset_ms: 0, stamp: 0 };

    #[inline]
    pub(super) fn decision(&self, limit: &Limit, longest_wait: u64) -> Decision {
        let remaining = u32::try_from(self.room.max(0)).unwrap_or(u32::MAX);
        Decision::judged(limit, remaining, self.wait_ms, longest_wait, self.reset_ms).with_stamp(self.stamp)
    }

    /// Packs the verdict on a request that does not wait.
    #[inline]
    pub(super) fn packed(&self) -> PackedDecision {
        PackedDecision::new(self.wait_ms, u32::try_from(self.room.max(0)).unwrap_or(u32::MAX), self.reset_ms)
    }

    /// Returns the wait in ms if it is at most `longest`, otherwise `None`.
    #[inline]
    pub(super) fn wait_within(&self, longest: u64) -> Option<u64> {
        self.wait_ms.filter(|wait| *wait <= longest)
    }
}

/// Converts a value to a signed integer. Times and counts of a limit are far below 2^63.
#[inline]
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
