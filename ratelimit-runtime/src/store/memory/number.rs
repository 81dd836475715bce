//! Decisions and adjustments of limits whose state is a number: counter, buckets, sliding window.

use super::bucket::{self, Bucket};
use super::counter::{self, Counter};
use super::number_algorithm::NumberAlgorithm;
use super::sliding_window::{self, SlidingWindow};
use super::table::{Entry, Number, Table};
use super::terms::{Now, Terms, takeable};
use super::verdict::{Charged, Verdict, within};
use crate::limit::{Limit, NumberState, State};
use crate::store::Change;

/// Calls a function with the type of a state as its type parameter.
macro_rules! by_state {
    ($state:expr, $function:ident($($argument:expr),*)) => {
        match $state {
            NumberState::Counter => $function::<Counter<'_>>($($argument),*),
            NumberState::SlidingWindow => $function::<SlidingWindow<'_>>($($argument),*),
            NumberState::Bucket => $function::<Bucket<'_>>($($argument),*),
        }
    };
}

fn judge_by<'l, A: NumberAlgorithm<'l>>(entry: &Entry<'_, u64>, terms: &Terms<'l>, now: Now) -> Verdict {
    judged(&A::read(terms.limit, entry.number(), now.ms), terms)
}

fn judged<'l, A: NumberAlgorithm<'l>>(state: &A, terms: &Terms<'l>) -> Verdict {
    if terms.limit.refuses_all() {
        return Verdict { wait_ms: None, room: 0, reset_ms: 0, stamp: 0 };
    }
    Verdict { wait_ms: wait_ms(state, terms), room: state.room(), reset_ms: state.reset_ms(), stamp: 0 }
}

#[inline]
fn wait_ms<'l, A: NumberAlgorithm<'l>>(state: &A, terms: &Terms<'l>) -> Option<u64> {
    state.wait_ms(terms.needed, terms.keeps())
}

fn charge_by<'l, A: NumberAlgorithm<'l>>(
    entry: Entry<'_, u64>,
    terms: &Terms<'l>,
    wait: u64,
    now: Now,
) -> Verdict {
    let mut state = A::read(terms.limit, entry.number(), now.ms);
    let (number, room) = (state.charge(terms.cost, wait), state.room());
    entry.set_number(number, terms.limit, room);
    charged(&state, terms, room, wait, now)
}

fn charged<'l, A: NumberAlgorithm<'l>>(
    state: &A,
    terms: &Terms<'l>,
    room: i64,
    wait: u64,
    now: Now,
) -> Verdict {
    let reset_ms = state.reset_ms();
    terms.charged(room, wait, Charged { reset_ms, stamp: now.ms + reset_ms })
}

/// The shard is unlocked as soon as the new number is stored; the fields of the decision are computed afterwards.
#[inline]
fn decide_by<'l, A: NumberAlgorithm<'l>>(
    table: &Table<u64>,
    hash: u64,
    terms: &Terms<'l>,
    now: Now,
) -> Verdict {
    let mut shard = table.lock(hash);
    let entry = shard.entry(hash, now.ms);
    let mut state = A::read(terms.limit, entry.number(), now.ms);
    let may_pass = terms.charges && !terms.limit.refuses_all();
    if may_pass && let Some(wait) = within(wait_ms(&state, terms), terms.longest_wait) {
        let (number, room) = (state.charge(terms.cost, wait), state.room());
        entry.set_number(number, terms.limit, room);
        drop(shard);
        return charged(&state, terms, room, wait, now);
    }
    judged(&state, terms)
}

/// Sets the end of a number that gets a gate to the end that the scripts would set. There, a bucket whose tag does not tell its end
/// expires when it is empty.
pub(super) fn gated(entry: Entry<'_, u64>, limit: &Limit, now: Now) {
    let Some(number) = entry.number().filter(|_| limit.algorithm().is_bucket()) else { return };
    match bucket::expiring(limit, number, now.ms) {
        Some(number) => entry.set_number(number, limit, room_by::<Bucket<'_>>(limit, number, now)),
        None => {
            entry.remove();
        }
    }
}

/// Judges a request, and charges it if it passes.
#[inline]
pub(super) fn decide(
    state: NumberState,
    table: &Table<u64>,
    hash: u64,
    terms: &Terms<'_>,
    now: Now,
) -> Verdict {
    by_state!(state, decide_by(table, hash, terms, now))
}

pub(super) fn judge(state: NumberState, entry: &Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Verdict {
    by_state!(state, judge_by(entry, terms, now))
}

/// Charges a request that [`judge`] let pass.
pub(super) fn charge(
    state: NumberState,
    entry: Entry<'_, u64>,
    terms: &Terms<'_>,
    wait: u64,
    now: Now,
) -> Verdict {
    by_state!(state, charge_by(entry, terms, wait, now))
}

pub(super) fn adjust(
    state: NumberState,
    entry: Entry<'_, u64>,
    limit: &Limit,
    units: u32,
    change: Change,
    now: Now,
) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(state, entry, limit, units, stamp, now),
        Change::Take => {
            let cost = takeable(limit, units, judge(state, &entry, &Terms::unchecked(limit, 0), now).room);
            if cost > 0 {
                charge(state, entry, &Terms::unchecked(limit, cost), 0, now);
            }
            cost
        }
        // Only permits are renewed, and a gate is no part of the number.
        Change::Renew(_) | Change::Block(_) | Change::Open | Change::Pause(_) | Change::Closed => 0,
    }
}

/// Uses up a limit for this time in ms. A limit that is used up for longer stays as it is.
pub(super) fn use_up(entry: Entry<'_, u64>, limit: &Limit, ms: u64, now: Now) {
    let (number, end) = (entry.number(), now.ms + ms);
    let full = |deadline| {
        let is_longer = number.is_some_and(|number| number.deadline >= deadline);
        (!is_longer).then_some(Number { value: limit.count().into(), deadline })
    };
    let used_up = match limit.state() {
        State::Number(NumberState::Bucket) => bucket::used_up(limit, number, ms, now.ms),
        State::Number(NumberState::SlidingWindow) => full(end + limit.time_ms()),
        State::Number(NumberState::Counter) | State::List(_) => full(end),
    };
    if let Some(number) = used_up {
        entry.set_number(number, limit, 0);
    }
}

fn give(state: NumberState, entry: Entry<'_, u64>, limit: &Limit, units: u32, stamp: u64, now: Now) -> u32 {
    let Some(mut number) = entry.number() else { return 0 };
    let given = match state {
        NumberState::Counter => counter::give(&mut number, units, stamp, now.ms),
        NumberState::SlidingWindow => sliding_window::give(limit, &mut number, units, stamp, now.ms),
        NumberState::Bucket => bucket::give(limit, &mut number, units, stamp, now.ms),
    };
    if number.deadline < now.ms {
        entry.remove();
    } else {
        let room = by_state!(state, room_by(limit, number, now));
        entry.set_number(number, limit, room);
    }
    given
}

fn room_by<'l, A: NumberAlgorithm<'l>>(limit: &'l Limit, number: Number, now: Now) -> i64 {
    A::read(limit, Some(number), now.ms).room()
}
