//! From a request to the algorithm of its limit, and from its answer to the table.

use super::concurrency::Permits;
use super::sliding_log::Log;
use super::table::{Cell, Guard, Hash, Number, State};
use super::verdict::{Charged, Verdict, Wait};
use super::{bucket, counter, sliding_window};
use crate::clock::{Clock, micros};
use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::{Adjustment, Change, Mode, Request};

/// Logs and permits are remembered so much longer than they count, as by the scripts.
const SPARE_MS: u64 = 1000;

/// The moment of a decision.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) ms: u64,
    us: u64,
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
    cost: u32,
    permit: u64,
    /// How long it would wait for its turn, in ms.
    pub(super) patience: u64,
    /// Whether it takes something if it passes.
    pub(super) charges: bool,
    stamped: bool,
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

    /// Whether a refused request leaves a ticket.
    pub(super) fn queues(&self, verdict: &Verdict) -> bool {
        self.limit.is_concurrency()
            && self.stamped
            && self.limit.wait_ms() > 0
            && verdict.wait != Wait::Never
            && !self.limit.refuses_all()
    }
}

pub(super) fn judge(ask: &Ask<'_>, cell: Option<&Cell>, now: Now) -> Verdict {
    let Ask { limit, cost, permit, .. } = *ask;
    if limit.refuses_all() {
        return Verdict { wait: Wait::Never, room: 0, reset_ms: 0 };
    }
    let number = cell.and_then(|cell| cell.number(now.ms));
    match limit.algorithm() {
        Algorithm::Counter => counter::judge(limit, number, cost, now.ms),
        Algorithm::TokenBucket | Algorithm::LeakyBucket => bucket::judge(limit, number, cost, now.ms),
        Algorithm::SlidingWindow => sliding_window::judge(limit, number, cost, now.ms),
        Algorithm::SlidingLog => match cell.map(|cell| &cell.state) {
            Some(State::Log(log)) => log.judge(limit, cost, now.us),
            _ => Log::default().judge(limit, cost, now.us),
        },
        Algorithm::Concurrency => match cell.map(|cell| &cell.state) {
            Some(State::Permits(permits)) => permits.judge(limit, cost, permit, now.ms),
            _ => Permits::default().judge(limit, cost, permit, now.ms),
        },
    }
}

/// Charges what [`judge`] let pass.
pub(super) fn charge(
    shard: &mut Guard<'_>,
    hash: Hash,
    ask: &Ask<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Decision {
    let charged = take(shard, hash, ask, wait, now);
    verdict.charged(ask.limit, ask.cost, wait, charged, ask.stamped)
}

fn take(shard: &mut Guard<'_>, hash: Hash, ask: &Ask<'_>, wait: u64, now: Now) -> Charged {
    let Ask { limit, cost, permit, .. } = *ask;
    match limit.algorithm() {
        Algorithm::Counter => {
            take_number(shard, hash, now, |number| counter::charge(limit, number, cost, wait, now.ms))
        }
        Algorithm::TokenBucket | Algorithm::LeakyBucket => {
            take_number(shard, hash, now, |number| bucket::charge(limit, number, cost, now.ms))
        }
        Algorithm::SlidingWindow => {
            take_number(shard, hash, now, |number| sliding_window::charge(limit, number, cost, wait, now.ms))
        }
        Algorithm::SlidingLog => with(shard, hash, now, empty_log, |cell| {
            let State::Log(log) = &mut cell.state else { return Charged::default() };
            let charged = log.charge(limit, cost, wait, now.us);
            cell.deadline = now.ms + charged.reset_ms + SPARE_MS;
            charged
        })
        .unwrap_or_default(),
        Algorithm::Concurrency => with(shard, hash, now, no_permits, |cell| {
            let State::Permits(permits) = &mut cell.state else { return Charged::default() };
            let charged = permits.charge(limit, cost, permit, now.ms);
            cell.deadline = now.ms + permits.lives(limit, now.ms) + SPARE_MS;
            charged
        })
        .unwrap_or_default(),
    }
}

fn take_number(
    shard: &mut Guard<'_>,
    hash: Hash,
    now: Now,
    charge: impl FnOnce(Option<Number>) -> (Number, u64),
) -> Charged {
    let cell = shard.get(hash, now.ms);
    let (number, reset_ms) = charge(cell.as_deref().and_then(|cell| cell.number(now.ms)));
    match cell {
        Some(cell) => *cell = number.into(),
        None => shard.insert(hash, number.into(), now.ms),
    }
    Charged { reset_ms, stamp: now.ms + reset_ms }
}

fn empty_log() -> State {
    State::Log(Box::default())
}

fn no_permits() -> State {
    State::Permits(Box::default())
}

/// Changes a cell, which is made if there is none.
fn with<T>(
    shard: &mut Guard<'_>,
    hash: Hash,
    now: Now,
    empty: impl FnOnce() -> State,
    change: impl FnOnce(&mut Cell) -> T,
) -> Option<T> {
    if shard.get(hash, now.ms).is_some() {
        return shard.change(hash, now.ms, change);
    }
    // Without a deadline yet: `change` sets it.
    let mut cell = Cell { state: empty(), deadline: now.ms };
    let changed = change(&mut cell);
    shard.insert(hash, cell, now.ms);
    Some(changed)
}

/// Leaves the ticket of one that waits for a permit.
pub(super) fn queue(
    shard: &mut Guard<'_>,
    hash: Hash,
    ask: &Ask<'_>,
    verdict: &Verdict,
    now: Now,
) -> Decision {
    let Wait::Millis(wait) = verdict.wait else { return verdict.decision(ask.limit, 0) };
    let again = with(shard, hash, now, no_permits, |cell| {
        let State::Permits(permits) = &mut cell.state else { return wait };
        let again = permits.queue(ask.limit, ask.cost, ask.permit, wait, now.ms);
        cell.deadline = now.ms + permits.lives(ask.limit, now.ms) + SPARE_MS;
        again
    });
    Verdict { wait: Wait::Millis(again.unwrap_or(wait)), ..*verdict }.decision(ask.limit, 0)
}

pub(super) fn adjust(shard: &mut Guard<'_>, hash: Hash, adjustment: &Adjustment<'_>, now: Now) -> u32 {
    let (limit, units) = (adjustment.limit(), adjustment.units());
    if limit.refuses_all() {
        return 0;
    }
    match adjustment.change() {
        Change::Take => take_unasked(shard, hash, limit, units, now),
        Change::Give(stamp) => {
            let given = shard.change(hash, now.ms, |cell| give(limit, cell, units, stamp, now));
            if shard.get(hash, now.ms).is_none_or(|cell| cell.is_empty()) {
                shard.remove(hash);
            }
            given.unwrap_or(0)
        }
        Change::Renew(id) => {
            let renewed = shard.change(hash, now.ms, |cell| {
                let State::Permits(permits) = &mut cell.state else { return 0 };
                let renewed = permits.renew(limit, id, now.ms).min(units);
                if renewed > 0 {
                    cell.deadline = now.ms + permits.lives(limit, now.ms) + SPARE_MS;
                }
                renewed
            });
            renewed.unwrap_or(0)
        }
    }
}

/// Charges whether there is room or not, at most one capacity deep.
fn take_unasked(shard: &mut Guard<'_>, hash: Hash, limit: &Limit, units: u32, now: Now) -> u32 {
    let ask = Ask { limit, cost: 0, permit: 0, patience: 0, charges: true, stamped: false };
    let room = judge(&ask, shard.get(hash, now.ms).as_deref(), now).room;
    let units = i64::from(units).min(room.saturating_add(i64::from(limit.capacity())));
    let Ok(cost @ 1..) = u32::try_from(units) else { return 0 };
    take(shard, hash, &Ask { cost, ..ask }, 0, now);
    cost
}

fn give(limit: &Limit, cell: &mut Cell, units: u32, stamp: u64, now: Now) -> u32 {
    match &mut cell.state {
        State::Log(log) => return log.give(units, stamp),
        State::Permits(permits) => return permits.give(units, stamp),
        State::Number(_) => {}
    }
    let Some(mut number) = cell.number(now.ms) else { return 0 };
    let given = match limit.algorithm() {
        Algorithm::Counter => counter::give(limit, &mut number, units, stamp),
        Algorithm::SlidingWindow => sliding_window::give(limit, &mut number, units, stamp, now.ms),
        _ => bucket::give(limit, &mut number, units, stamp, now.ms),
    };
    *cell = number.into();
    given
}
