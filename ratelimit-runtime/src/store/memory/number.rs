//! Decisions and adjustments of limits whose state is a number: counter, buckets, sliding window.

use super::bucket::{self, Bucket};
use super::counter::{self, Counter};
use super::eviction::Claim;
use super::shard::Number;
use super::sliding_window::{self, SlidingWindow};
use super::table::{Entry, Hash, Table};
use super::terms::{Now, Terms, takeable};
use super::verdict::{Charged, Verdict, Wait};
use crate::limit::{Algorithm, Limit};
use crate::store::Change;

/// What an algorithm reads from a number. It judges requests, and charges those that pass.
pub(super) trait State<'l>: Sized {
    /// Reads a number that exists. At its very deadline, it still exists, as a key in Redis does.
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self;

    /// The time until a cost fits.
    fn wait(&self, cost: u32) -> Wait;

    /// As [`Verdict::room`].
    fn room(&self) -> i64;

    /// As [`Verdict::reset_ms`].
    fn reset_ms(&self) -> u64;

    /// Charges a cost that fits after `wait` ms. Returns the new number, which this state then describes.
    fn charge(&mut self, cost: u32, wait: u64) -> Number;
}

/// Calls a function with the state of the limit's algorithm as its type parameter.
macro_rules! by_algorithm {
    ($limit:expr, $function:ident($($argument:expr),*)) => {
        match $limit.algorithm() {
            Algorithm::Counter => $function::<Counter<'_>>($($argument),*),
            Algorithm::SlidingWindow => $function::<SlidingWindow<'_>>($($argument),*),
            _ => $function::<Bucket<'_>>($($argument),*),
        }
    };
}

fn judge_by<'l, S: State<'l>>(entry: &Entry<'_, u64>, terms: &Terms<'l>, now: Now) -> Verdict {
    judged(&S::read(terms.limit, entry.number(), now.ms), terms)
}

fn judged<'l, S: State<'l>>(state: &S, terms: &Terms<'l>) -> Verdict {
    if terms.limit.refuses_all() {
        return Verdict { wait: Wait::Never, room: 0, reset_ms: 0, stamp: 0 };
    }
    Verdict { wait: state.wait(terms.cost), room: state.room(), reset_ms: state.reset_ms(), stamp: 0 }
}

fn charge_by<'l, S: State<'l>>(entry: Entry<'_, u64>, terms: &Terms<'l>, wait: u64, now: Now) -> Verdict {
    let mut state = S::read(terms.limit, entry.number(), now.ms);
    let (number, room) = (state.charge(terms.cost, wait), state.room());
    entry.set_number(number, Claim::new(terms.limit, room));
    charged(&state, terms, room, wait, now)
}

fn charged<'l, S: State<'l>>(state: &S, terms: &Terms<'l>, room: i64, wait: u64, now: Now) -> Verdict {
    let reset_ms = state.reset_ms();
    terms.charged(room, wait, Charged { reset_ms, stamp: now.ms + reset_ms })
}

/// The shard is unlocked as soon as the new number is stored; what the decision says is computed afterwards.
#[inline]
fn decide_by<'l, S: State<'l>>(table: &Table<u64>, hash: Hash, terms: &Terms<'l>, now: Now) -> Verdict {
    let mut shard = table.lock(hash);
    let entry = shard.entry(hash, now.ms);
    let mut state = S::read(terms.limit, entry.number(), now.ms);
    let may_pass = terms.charges && !terms.limit.refuses_all();
    if may_pass && let Some(wait) = state.wait(terms.cost).within(terms.longest_wait) {
        let (number, room) = (state.charge(terms.cost, wait), state.room());
        entry.set_number(number, Claim::new(terms.limit, room));
        drop(shard);
        return charged(&state, terms, room, wait, now);
    }
    judged(&state, terms)
}

/// Judges a request, and charges it if it passes.
#[inline]
pub(super) fn decide(table: &Table<u64>, hash: Hash, terms: &Terms<'_>, now: Now) -> Verdict {
    by_algorithm!(terms.limit, decide_by(table, hash, terms, now))
}

pub(super) fn judge(entry: &Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Verdict {
    by_algorithm!(terms.limit, judge_by(entry, terms, now))
}

/// Charges a request that [`judge`] let pass.
pub(super) fn charge(entry: Entry<'_, u64>, terms: &Terms<'_>, wait: u64, now: Now) -> Verdict {
    by_algorithm!(terms.limit, charge_by(entry, terms, wait, now))
}

pub(super) fn adjust(entry: Entry<'_, u64>, limit: &Limit, units: u32, change: Change, now: Now) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, limit, units, stamp, now),
        Change::Take => {
            let cost = takeable(limit, units, judge(&entry, &Terms::unchecked(limit, 0), now).room);
            if cost > 0 {
                charge(entry, &Terms::unchecked(limit, cost), 0, now);
            }
            cost
        }
        // Only permits are renewed.
        Change::Renew(_) => 0,
    }
}

fn give(entry: Entry<'_, u64>, limit: &Limit, units: u32, stamp: u64, now: Now) -> u32 {
    let Some(mut number) = entry.number() else { return 0 };
    let given = match limit.algorithm() {
        Algorithm::Counter => counter::give(&mut number, units, stamp, now.ms),
        Algorithm::SlidingWindow => sliding_window::give(limit, &mut number, units, stamp, now.ms),
        _ => bucket::give(limit, &mut number, units, stamp, now.ms),
    };
    if number.deadline < now.ms {
        entry.remove();
    } else {
        let room = by_algorithm!(limit, room_by(limit, number, now));
        entry.set_number(number, Claim::new(limit, room));
    }
    given
}

fn room_by<'l, S: State<'l>>(limit: &'l Limit, number: Number, now: Now) -> i64 {
    S::read(limit, Some(number), now.ms).room()
}
