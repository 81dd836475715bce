//! Decisions and adjustments of limits whose state is a number: counter, buckets, sliding window.

use super::bucket::{self, Bucket};
use super::counter::{self, Counter};
use super::shard::Number;
use super::sliding_window::{self, SlidingWindow};
use super::table::Entry;
use super::terms::{Now, Terms, takeable};
use super::verdict::{Charged, Verdict, Wait};
use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::Change;

/// The state, which no longer counts once its deadline is reached.
#[inline]
fn read(entry: &Entry<'_, u64>, now: Now) -> Option<Number> {
    entry.cell().copied().filter(|number| number.deadline > now.ms)
}

/// What an algorithm reads from a number. It judges requests, and charges those that pass.
pub(super) trait State<'l>: Sized {
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self;

    /// The time until a cost fits.
    fn wait(&self, cost: u32) -> Wait;

    /// As [`Verdict::room`].
    fn room(&self) -> i64;

    /// As [`Verdict::reset_ms`].
    fn reset_ms(&self) -> u64;

    /// Charges a cost that fits after `wait` ms. Returns the new number, and the time in ms until nothing is in use.
    fn charge(self, cost: u32, wait: u64) -> (Number, u64);
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

fn judge_by<'l, S: State<'l>>(limit: &'l Limit, number: Option<Number>, cost: u32, now: Now) -> Verdict {
    verdict(&S::read(limit, number, now.ms), limit, cost)
}

fn verdict<'l, S: State<'l>>(state: &S, limit: &Limit, cost: u32) -> Verdict {
    if limit.refuses_all() {
        return Verdict { wait: Wait::Never, room: 0, reset_ms: 0 };
    }
    Verdict { wait: state.wait(cost), room: state.room(), reset_ms: state.reset_ms() }
}

fn charge_by<'l, S: State<'l>>(
    limit: &'l Limit,
    number: Option<Number>,
    cost: u32,
    wait: u64,
    now: Now,
) -> (Number, u64) {
    S::read(limit, number, now.ms).charge(cost, wait)
}

#[expect(clippy::inline_always, reason = "as of `decide`")]
#[inline(always)]
fn decide_by<'l, S: State<'l>>(entry: Entry<'_, u64>, terms: &Terms<'l>, now: Now) -> Decision {
    let state = S::read(terms.limit, read(&entry, now), now.ms);
    let may_pass = terms.charges && !terms.limit.refuses_all();
    if may_pass && let Some(wait) = state.wait(terms.cost).within(terms.longest_wait) {
        let room = state.room();
        let (number, reset_ms) = state.charge(terms.cost, wait);
        entry.set(number);
        return terms.charged(room, wait, Charged { reset_ms, stamp: now.ms + reset_ms });
    }
    verdict(&state, terms.limit, terms.cost).decision(terms.limit, terms.longest_wait)
}

/// Judges a request, and charges it if it passes.
#[expect(clippy::inline_always, reason = "the decision is then written into the reply at once")]
#[inline(always)]
pub(super) fn decide(entry: Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Decision {
    by_algorithm!(terms.limit, decide_by(entry, terms, now))
}

pub(super) fn judge(entry: &Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Verdict {
    by_algorithm!(terms.limit, judge_by(terms.limit, read(entry, now), terms.cost, now))
}

/// Charges a request that [`judge`] let pass.
pub(super) fn charge(
    entry: Entry<'_, u64>,
    terms: &Terms<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Decision {
    let (limit, number) = (terms.limit, read(&entry, now));
    let (number, reset_ms) = by_algorithm!(limit, charge_by(limit, number, terms.cost, wait, now));
    entry.set(number);
    terms.charged(verdict.room, wait, Charged { reset_ms, stamp: now.ms + reset_ms })
}

pub(super) fn adjust(entry: Entry<'_, u64>, limit: &Limit, units: u32, change: Change, now: Now) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, limit, units, stamp, now),
        Change::Take => {
            let number = read(&entry, now);
            let room = by_algorithm!(limit, judge_by(limit, number, 0, now)).room;
            let cost = takeable(limit, units, room);
            if cost > 0 {
                entry.set(by_algorithm!(limit, charge_by(limit, number, cost, 0, now)).0);
            }
            cost
        }
        // Only permits are renewed.
        Change::Renew(_) => 0,
    }
}

fn give(entry: Entry<'_, u64>, limit: &Limit, units: u32, stamp: u64, now: Now) -> u32 {
    let Some(mut number) = read(&entry, now) else { return 0 };
    let given = match limit.algorithm() {
        Algorithm::Counter => counter::give(&mut number, units, stamp),
        Algorithm::SlidingWindow => sliding_window::give(limit, &mut number, units, stamp, now.ms),
        _ => bucket::give(limit, &mut number, units, stamp, now.ms),
    };
    if number.deadline < now.ms {
        entry.remove();
    } else {
        entry.set(number);
    }
    given
}
