//! Decisions and adjustments of limits whose state is a number: counter, buckets, sliding window.

use super::shard::Number;
use super::table::Entry;
use super::terms::{Now, Terms, takeable};
use super::verdict::{Charged, Verdict, Wait};
use super::{bucket, counter, sliding_window};
use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::Change;

/// The state, which no longer counts once its deadline is reached.
fn read(entry: &Entry<'_, u64>, now: Now) -> Option<Number> {
    entry.cell().copied().filter(|number| number.deadline > now.ms)
}

fn judge_number(limit: &Limit, number: Option<Number>, cost: u32, now: Now) -> Verdict {
    if limit.refuses_all() {
        return Verdict { wait: Wait::Never, room: 0, reset_ms: 0 };
    }
    match limit.algorithm() {
        Algorithm::Counter => counter::judge(limit, number, cost, now.ms),
        Algorithm::SlidingWindow => sliding_window::judge(limit, number, cost, now.ms),
        _ => bucket::judge(limit, number, cost, now.ms),
    }
}

fn charge_number(limit: &Limit, number: Option<Number>, cost: u32, wait: u64, now: Now) -> (Number, u64) {
    match limit.algorithm() {
        Algorithm::Counter => counter::charge(limit, number, cost, wait, now.ms),
        Algorithm::SlidingWindow => sliding_window::charge(limit, number, cost, wait, now.ms),
        _ => bucket::charge(limit, number, cost, now.ms),
    }
}

/// Judges a request, and charges it if it passes.
pub(super) fn decide(entry: Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Decision {
    let number = read(&entry, now);
    let verdict = judge_number(terms.limit, number, terms.cost, now);
    match verdict.passes(terms.longest_wait) {
        Some(wait) if terms.charges => charge(entry, number, terms, &verdict, wait, now),
        _ => verdict.decision(terms.limit, terms.longest_wait),
    }
}

pub(super) fn judge(entry: &Entry<'_, u64>, terms: &Terms<'_>, now: Now) -> Verdict {
    judge_number(terms.limit, read(entry, now), terms.cost, now)
}

/// Charges a request that [`judge`] let pass.
pub(super) fn charge_judged(
    entry: Entry<'_, u64>,
    terms: &Terms<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Decision {
    let number = read(&entry, now);
    charge(entry, number, terms, verdict, wait, now)
}

fn charge(
    entry: Entry<'_, u64>,
    number: Option<Number>,
    terms: &Terms<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Decision {
    let (number, reset_ms) = charge_number(terms.limit, number, terms.cost, wait, now);
    entry.set(number);
    let charged = Charged { reset_ms, stamp: now.ms + reset_ms };
    verdict.charged(terms.limit, terms.cost, wait, charged, terms.stamped)
}

pub(super) fn adjust(entry: Entry<'_, u64>, limit: &Limit, units: u32, change: Change, now: Now) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, limit, units, stamp, now),
        Change::Take => {
            let number = read(&entry, now);
            let room = judge_number(limit, number, 0, now).room;
            let cost = takeable(limit, units, room);
            if cost > 0 {
                entry.set(charge_number(limit, number, cost, 0, now).0);
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
