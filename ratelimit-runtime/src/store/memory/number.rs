//! Decisions and adjustments of limits whose state is a number: counter, buckets, sliding window.

use super::table::Entry;
use super::terms::{Terms, Verdict};
use super::{bucket, counter, sliding_window};
use crate::limit::{Limit, State};
use crate::store::Change;

/// Decides about a request, and charges it if it passes.
#[inline]
pub(super) fn decide(entry: &mut Entry<u64>, terms: &Terms<'_>) -> Verdict {
    match terms.limit.state() {
        _ if terms.limit.refuses_all() => Verdict::NEVER,
        State::Counter => counter::decide(entry, terms),
        State::Bucket => bucket::decide(entry, terms),
        State::SlidingWindow => sliding_window::decide(entry, terms),
        // The states of these limits are lists, in the other table.
        State::Log | State::Permits => Verdict::NEVER,
    }
}

/// Gives back or takes units. `terms` are the terms of a request that takes nothing.
pub(super) fn adjust(entry: &mut Entry<u64>, terms: &Terms<'_>, units: u32, change: Change) -> u32 {
    match change {
        _ if terms.limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, terms, units, stamp),
        Change::Take => {
            let cost = terms.takeable(units, decide(entry, terms).room);
            if cost > 0 {
                decide(entry, &terms.granted(cost, 0));
            }
            cost
        }
        Change::Used => terms.used(decide(entry, terms).room),
        // Only permits are renewed, and their state is not a number. The other changes concern the gate, which is not part of
        // the number.
        Change::Renew(_) | Change::Block(_) | Change::Open | Change::Pause(_) | Change::Closed => 0,
    }
}

fn give(entry: &mut Entry<u64>, terms: &Terms<'_>, units: u32, stamp: u64) -> u32 {
    let Terms { limit, now, .. } = *terms;
    let given = match limit.state() {
        _ if entry.deadline() == 0 => return 0,
        State::Counter => counter::give(entry, units, stamp, now),
        State::Bucket => bucket::give(entry, limit, units, stamp, now),
        State::SlidingWindow => sliding_window::give(entry, limit, units, stamp, now),
        State::Log | State::Permits => 0,
    };
    if entry.deadline() < now {
        entry.clear();
    } else {
        let room = decide(entry, terms).room;
        entry.set_end(entry.deadline(), limit, room);
    }
    given
}

/// Uses up a limit for `ms` ms. A limit that is used up for longer does not change.
pub(super) fn use_up(entry: &mut Entry<u64>, limit: &Limit, ms: u64, now: u64) {
    let end = match limit.state() {
        State::Bucket => return bucket::use_up(entry, limit, ms, now),
        State::SlidingWindow => now + ms + limit.time_ms(),
        State::Counter | State::Log | State::Permits => now + ms,
    };
    if entry.deadline() < end {
        entry.set(limit.count().into(), end, limit, 0);
    }
}
