//! What a request asks of an algorithm, and when.

use super::verdict::{Verdict, Wait};
use crate::clock::{Clock, micros};
use crate::limit::{Algorithm, Limit};
use crate::store::{Mode, Request};

/// The moment of a decision.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) ms: u64,
    pub(super) us: u64,
}

impl Now {
    pub(super) fn of(clock: &impl Clock) -> Self {
        let us = micros(clock.now());
        Self { ms: us / 1000, us }
    }
}

/// A request, and what its mode makes of it.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) limit: &'a Limit,
    pub(super) cost: u32,
    pub(super) permit: u64,
    /// How long it would wait for its turn, in ms.
    pub(super) patience: u64,
    /// Whether it takes something if it passes.
    pub(super) charges: bool,
    pub(super) stamped: bool,
}

impl<'a> Ask<'a> {
    pub(super) fn of(mode: Mode, request: &Request<'a>) -> Self {
        let limit = request.limit();
        Self {
            limit,
            cost: request.cost(),
            permit: request.permit(),
            patience: if mode == Mode::Charge && !limit.is_concurrency() { limit.wait_ms() } else { 0 },
            charges: mode != Mode::Peek && request.cost() > 0,
            stamped: mode == Mode::Charge,
        }
    }

    /// What is taken without asking whether there is room.
    pub(super) fn unasked(limit: &'a Limit, cost: u32) -> Self {
        Self { limit, cost, permit: 0, patience: 0, charges: true, stamped: false }
    }

    /// Whether a refused request leaves a ticket.
    pub(super) fn queues(&self, verdict: &Verdict) -> bool {
        self.limit.is_concurrency()
            && self.stamped
            && self.limit.wait_ms() > 0
            && verdict.wait != Wait::Never
            && !self.limit.refuses_all()
    }
}

/// Whether the state of a limit is a number, or something that is held in a box.
pub(super) fn is_number(limit: &Limit) -> bool {
    !matches!(limit.algorithm(), Algorithm::SlidingLog | Algorithm::Concurrency)
}

/// So many units can be taken without asking: at most one capacity deep.
pub(super) fn without_asking(limit: &Limit, units: u32, room: i64) -> u32 {
    let units = i64::from(units).min(room.saturating_add(i64::from(limit.capacity())));
    u32::try_from(units).unwrap_or(0)
}
