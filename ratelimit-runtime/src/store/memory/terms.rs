//! The terms of a request: its limit and cost, what its mode allows, and the time of its decision.

use super::verdict::{Charged, Verdict};
use crate::clock::Clock;
use crate::limit::Limit;
use crate::store::{Mode, Request};

/// The time of a decision.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) ms: u64,
    pub(super) us: u64,
}

impl Now {
    #[inline]
    pub(super) fn of(clock: &impl Clock) -> Self {
        let us = clock.now_micros();
        Self { ms: us / 1000, us }
    }
}

/// A request, and what its mode allows.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) limit: &'a Limit,
    pub(super) cost: u32,
    /// The units of the cost, and those that are left to others.
    pub(super) needed: i64,
    pub(super) permit: u64,
    /// The longest time in ms that the request may wait for its turn.
    pub(super) longest_wait: u64,
    /// Whether units are charged if the request passes.
    pub(super) charges: bool,
    /// Whether the decision contains a stamp.
    pub(super) stamped: bool,
}

impl<'a> Terms<'a> {
    /// The terms of a request, whose limit is this one at the time of the decision.
    #[inline]
    pub(super) fn of(mode: Mode, request: &'a Request, limit: &'a Limit) -> Self {
        Self {
            limit,
            cost: request.cost(),
            needed: request.needed(),
            permit: request.permit(),
            longest_wait: if mode == Mode::Charge && request.may_reserve() { limit.wait_ms() } else { 0 },
            charges: mode != Mode::Peek && request.cost() > 0,
            stamped: mode == Mode::Charge,
        }
    }

    /// The terms of a charge that is made without a check.
    pub(super) fn unchecked(limit: &'a Limit, cost: u32) -> Self {
        Self { limit, cost, needed: cost.into(), permit: 0, longest_wait: 0, charges: true, stamped: false }
    }

    /// The verdict after a charge, which left `room` units free.
    #[inline]
    pub(super) fn charged(&self, room: i64, wait: u64, Charged { reset_ms, stamp }: Charged) -> Verdict {
        Verdict { wait_ms: Some(wait), room, reset_ms, stamp: if self.stamped { stamp } else { 0 } }
    }

    /// Whether this request leaves units to others.
    pub(super) fn keeps(&self) -> bool {
        self.needed != i64::from(self.cost)
    }

    /// Whether a refused request waits for a permit.
    pub(super) fn waits_for_permit(&self, verdict: &Verdict) -> bool {
        self.limit.is_concurrency()
            && self.stamped
            && self.limit.wait_ms() > 0
            && verdict.wait_ms.is_some()
            && !self.limit.refuses_all()
    }
}

/// The units that can be taken without a check. The debt is at most one capacity.
pub(super) fn takeable(limit: &Limit, units: u32, room: i64) -> u32 {
    let units = i64::from(units).min(room.saturating_add(i64::from(limit.capacity())));
    u32::try_from(units).unwrap_or(0)
}
