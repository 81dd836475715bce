//! Decisions and adjustments of limits whose state is a list: sliding log, concurrency.

use super::concurrency::{self, Permit};
use super::sliding_log;
use super::table::{Entry, Value};
use super::terms::{Terms, Verdict, signed};
use crate::limit::Limit;
use crate::store::Change;
use std::collections::VecDeque;

/// The time in ms for which a list is stored after it is no longer needed, as in the scripts.
const SPARE_MS: u64 = 1000;

/// The state of a sliding log or of a concurrency limit.
#[derive(Debug)]
pub(super) enum List {
    Log(VecDeque<u64>),
    Permits(Vec<Permit>),
}

impl Default for List {
    fn default() -> Self {
        Self::Log(VecDeque::new())
    }
}

impl Value for List {
    fn weight(&self) -> usize {
        match self {
            Self::Log(log) => log.capacity() * size_of::<u64>(),
            Self::Permits(permits) => permits.capacity() * size_of::<Permit>(),
        }
    }
}

impl List {
    fn is_empty(&self) -> bool {
        match self {
            Self::Log(log) => log.is_empty(),
            Self::Permits(permits) => permits.is_empty(),
        }
    }

    /// Returns the units that are free. Entries that have expired since the last charge still count.
    fn room(&self, limit: &Limit) -> i64 {
        match self {
            Self::Log(log) => i64::from(limit.count()) - signed(log.len() as u64),
            Self::Permits(permits) => concurrency::room(permits, limit),
        }
    }
}

/// Decides about a request, and charges it if it passes.
pub(super) fn decide(entry: &mut Entry<List>, terms: &Terms<'_>) -> Verdict {
    let Terms { limit, now, .. } = *terms;
    if limit.refuses_all() {
        return Verdict::NEVER;
    }
    if limit.is_concurrency() && entry.value.is_empty() {
        entry.value = List::Permits(Vec::new());
    }
    let (verdict, kept_ms) = match &mut entry.value {
        List::Log(log) => sliding_log::decide(log, terms),
        List::Permits(permits) => concurrency::decide(permits, terms),
    };
    if let Some(kept_ms) = kept_ms {
        keep(entry, limit, now + kept_ms + SPARE_MS);
    }
    verdict
}

fn keep(entry: &mut Entry<List>, limit: &Limit, until: u64) {
    entry.set_end(until, limit, entry.value.room(limit));
}

/// Gives back or takes units, or renews a permit. `terms` are the terms of a request that takes nothing.
pub(super) fn adjust(entry: &mut Entry<List>, terms: &Terms<'_>, units: u32, change: Change) -> u32 {
    match change {
        _ if terms.limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, terms.limit, units, stamp),
        Change::Take => {
            let cost = terms.takeable(units, decide(entry, terms).room);
            if cost > 0 {
                decide(entry, &terms.granted(cost, 0));
            }
            cost
        }
        Change::Used => terms.used(decide(entry, terms).room),
        Change::Renew(id) => renew(entry, terms, id).min(units),
        // Only limits whose state is a number have gates.
        Change::Block(_) | Change::Open | Change::Pause(_) | Change::Closed => 0,
    }
}

fn give(entry: &mut Entry<List>, limit: &Limit, units: u32, stamp: u64) -> u32 {
    let given = match &mut entry.value {
        List::Log(log) => sliding_log::give(log, units, stamp),
        List::Permits(permits) => concurrency::give(permits, units, stamp),
    };
    if entry.value.is_empty() {
        entry.clear();
    } else {
        keep(entry, limit, entry.deadline());
    }
    given
}

fn renew(entry: &mut Entry<List>, terms: &Terms<'_>, id: u64) -> u32 {
    let Terms { limit, now, .. } = *terms;
    let List::Permits(permits) = &mut entry.value else { return 0 };
    let renewed = concurrency::renew(permits, limit, id, now);
    if renewed > 0 {
        let kept_ms = concurrency::kept_ms(permits, limit, now);
        keep(entry, limit, now + kept_ms + SPARE_MS);
    }
    renewed
}
