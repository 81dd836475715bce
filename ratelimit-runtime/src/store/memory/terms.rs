//! The terms of a request, which an algorithm reads, and its verdict, from which the decision is made.

use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Mode, Request};

/// A request at the time of its decision.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) limit: &'a Limit,
    /// The hash of the key.
    pub(super) hash: u64,
    pub(super) mode: Mode,
    pub(super) cost: u32,
    /// The units of the cost, and those that are left to others.
    pub(super) needed: i64,
    pub(super) permit: u64,
    /// The longest time in ms that the request may wait for its turn.
    pub(super) longest_wait: u64,
    /// If set, the cost is charged after this wait in ms, even if it does not fit.
    pub(super) granted: Option<u64>,
    /// The time in ms, and in us.
    pub(super) now: u64,
    pub(super) now_us: u64,
}

impl<'a> Terms<'a> {
    /// The terms of a request, whose limit is this one at the time of the decision.
    #[inline]
    pub(super) fn of(mode: Mode, request: &Request, limit: &'a Limit, hash: u64, now_us: u64) -> Self {
        Self {
            mode,
            cost: request.cost(),
            needed: request.needed(),
            permit: request.permit(),
            longest_wait: if mode == Mode::Charge && request.may_reserve() { limit.wait_ms() } else { 0 },
            ..Self::peek(limit, hash, now_us)
        }
    }

    /// The terms of a request that takes nothing, to see what is free.
    #[inline]
    pub(super) fn peek(limit: &'a Limit, hash: u64, now_us: u64) -> Self {
        let (mode, cost, needed, permit, longest_wait, granted) = (Mode::Peek, 0, 0, 0, 0, None);
        Self { limit, hash, mode, cost, needed, permit, longest_wait, granted, now: now_us / 1000, now_us }
    }

    /// These terms with a cost that is charged after a wait in ms, whatever is free.
    pub(super) fn granted(&self, cost: u32, wait: u64) -> Self {
        Self { cost, granted: Some(wait), ..*self }
    }

    /// Whether units are charged if the request passes.
    pub(super) fn charges(&self) -> bool {
        self.mode != Mode::Peek && self.cost > 0
    }

    /// The wait in ms with which the cost is charged, or `None` if it is not charged. It fits after `wait_ms`.
    #[inline]
    pub(super) fn turn(&self, wait_ms: Option<u64>) -> Option<u64> {
        self.granted.or_else(|| wait_ms.filter(|wait| self.charges() && *wait <= self.longest_wait))
    }

    /// The verdict after the charge with this stamp, which left `room` units free.
    #[inline]
    pub(super) fn charged(&self, wait: u64, room: i64, reset_ms: u64, stamp: u64) -> Verdict {
        let stamp = if self.mode == Mode::Charge { stamp } else { 0 };
        Verdict { wait_ms: Some(wait), room, reset_ms, stamp }
    }

    /// Whether this request leaves units to others.
    pub(super) fn keeps(&self) -> bool {
        self.needed != i64::from(self.cost)
    }

    /// The units that are taken without a check if `room` units are free. The debt is at most one capacity.
    pub(super) fn takeable(&self, units: u32, room: i64) -> u32 {
        let units = i64::from(units).min(room.saturating_add(i64::from(self.limit.capacity())));
        u32::try_from(units).unwrap_or(0)
    }
}

/// The finding of an algorithm about a request, after the charge if there was one. A decision is made from it once the shard is unlocked.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    /// The time until the cost fits. `None` if it never does.
    pub(super) wait_ms: Option<u64>,
    /// The units that are free; negative in debt.
    pub(super) room: i64,
    /// The time until nothing is in use.
    pub(super) reset_ms: u64,
    /// Finds the charge again, so that units can be given back. 0 if nothing was charged, or if the request needs no stamp.
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

    /// The wait, if there is one of at most `longest`.
    #[inline]
    pub(super) fn wait_within(&self, longest: u64) -> Option<u64> {
        self.wait_ms.filter(|wait| *wait <= longest)
    }
}

/// The value as a signed integer. Times and counts of a limit are far below 2^63.
#[inline]
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
