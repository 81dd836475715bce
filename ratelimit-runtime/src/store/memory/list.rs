//! Decisions and adjustments of limits whose state is a list: sliding log, concurrency.

use super::concurrency::Permits;
use super::sliding_log::Log;
use super::table::{Cell, Entry, Value};
use super::terms::{Now, Terms, takeable};
use super::verdict::{Charged, Verdict, signed};
use crate::limit::{Limit, ListState};
use crate::store::Change;

/// A list is stored for this much longer than it counts, as in the scripts.
const SPARE_MS: u64 = 1000;

/// The state of a limit.
#[derive(Debug, Default)]
pub(super) enum List {
    #[default]
    Empty,
    Log(Box<Log>),
    Permits(Box<Permits>),
}

impl Value for List {
    fn weight(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Log(log) => size_of::<Log>() + log.bytes(),
            Self::Permits(permits) => size_of::<Permits>() + permits.bytes(),
        }
    }
}

impl List {
    /// An empty state.
    fn new(state: ListState) -> Self {
        match state {
            ListState::Log => Self::Log(Box::default()),
            ListState::Permits => Self::Permits(Box::default()),
        }
    }

    fn judge(&self, state: ListState, terms: &Terms<'_>, now: Now) -> Verdict {
        let Terms { limit, needed, permit, .. } = *terms;
        let needed = u32::try_from(needed).unwrap_or(u32::MAX); // above the `count` of all lists
        if limit.refuses_all() {
            return Verdict { wait_ms: None, room: 0, reset_ms: 0, stamp: 0 };
        }
        match (state, self) {
            (ListState::Log, Self::Log(log)) => log.judge(limit, needed, now.us),
            (ListState::Log, _) => Log::default().judge(limit, needed, now.us),
            (ListState::Permits, Self::Permits(permits)) => permits.judge(limit, needed, permit, now.ms),
            (ListState::Permits, _) => Permits::default().judge(limit, needed, permit, now.ms),
        }
    }

    /// Charges the cost. Returns the charge, and how long the state must be stored, in ms.
    fn charge(&mut self, terms: &Terms<'_>, wait: u64, now: Now) -> (Charged, u64) {
        match self {
            Self::Permits(permits) => {
                let charged = permits.charge(terms.limit, terms.cost, terms.permit, now.ms);
                (charged, permits.lifetime(terms.limit, now.ms))
            }
            Self::Log(log) => {
                let charged = log.charge(terms.limit, terms.cost, wait, now.us);
                (charged, charged.reset_ms)
            }
            Self::Empty => (Charged::default(), 0),
        }
    }

    /// The units that are free, if no entry has expired since the last charge.
    fn room(&self, limit: &Limit) -> i64 {
        let in_use = match self {
            Self::Empty => 0,
            Self::Log(log) => log.units(),
            Self::Permits(permits) => permits.units(),
        };
        i64::from(limit.count()) - signed(in_use)
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Log(log) => log.is_empty(),
            Self::Permits(permits) => permits.is_empty(),
        }
    }
}

/// Changes the state, and sets how long it is stored. If there is no state, starts with an empty one.
fn update<R>(
    state: ListState,
    entry: Entry<'_, List>,
    limit: &Limit,
    now: Now,
    change: impl FnOnce(&mut List) -> (R, u64),
) -> R {
    let make = || Cell::unset(List::new(state));
    entry.change_or_make(make, |cell| {
        let (changed, lifetime_ms) = change(&mut cell.value);
        cell.set_until(now.ms + lifetime_ms + SPARE_MS, limit, cell.value.room(limit));
        changed
    })
}

pub(super) fn judge(state: ListState, entry: &Entry<'_, List>, terms: &Terms<'_>, now: Now) -> Verdict {
    entry.cell().map_or(&List::Empty, |cell| &cell.value).judge(state, terms, now)
}

/// Charges a request that [`judge`] let pass.
pub(super) fn charge(
    state: ListState,
    entry: Entry<'_, List>,
    terms: &Terms<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Verdict {
    let charged = update(state, entry, terms.limit, now, |list| list.charge(terms, wait, now));
    terms.charged(verdict.room - i64::from(terms.cost), wait, charged)
}

/// Judges a request, and charges it if it passes. A refused request may leave a ticket.
pub(super) fn decide(state: ListState, entry: Entry<'_, List>, terms: &Terms<'_>, now: Now) -> Verdict {
    let verdict = judge(state, &entry, terms, now);
    match verdict.wait_within(terms.longest_wait) {
        Some(wait) if terms.charges => charge(state, entry, terms, &verdict, wait, now),
        None if terms.waits_for_permit(&verdict) => enqueue(state, entry, terms, &verdict, now),
        _ => verdict,
    }
}

/// Leaves the ticket of a call that waits for a permit. A call that leaves units to others has none.
fn enqueue(
    state: ListState,
    entry: Entry<'_, List>,
    terms: &Terms<'_>,
    verdict: &Verdict,
    now: Now,
) -> Verdict {
    let Some(wait) = verdict.wait_ms else { return *verdict };
    let retry = update(state, entry, terms.limit, now, |list| {
        let List::Permits(permits) = list else { return (wait, 0) };
        let cost = if terms.keeps() { 0 } else { terms.cost };
        let retry = permits.enqueue(terms.limit, cost, terms.permit, wait, now.ms);
        (retry, permits.lifetime(terms.limit, now.ms))
    });
    Verdict { wait_ms: Some(retry), ..*verdict }
}

pub(super) fn adjust(
    state: ListState,
    entry: Entry<'_, List>,
    limit: &Limit,
    units: u32,
    change: Change,
    now: Now,
) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, limit, units, stamp),
        Change::Take => {
            let cost = takeable(limit, units, judge(state, &entry, &Terms::unchecked(limit, 0), now).room);
            if cost > 0 {
                update(state, entry, limit, now, |list| list.charge(&Terms::unchecked(limit, cost), 0, now));
            }
            cost
        }
        Change::Renew(id) => renew(entry, limit, units, id, now),
        // Only numbers have gates.
        Change::Block(_) | Change::Open | Change::Pause(_) | Change::Closed => 0,
    }
}

fn give(mut entry: Entry<'_, List>, limit: &Limit, units: u32, stamp: u64) -> u32 {
    let given = entry.change(|cell| {
        let given = match &mut cell.value {
            List::Log(log) => log.give(units, stamp),
            List::Permits(permits) => permits.give(units, stamp),
            List::Empty => 0,
        };
        cell.set_until(cell.deadline(), limit, cell.value.room(limit));
        given
    });
    if entry.cell().is_some_and(|cell| cell.value.is_empty()) {
        entry.remove();
    }
    given.unwrap_or(0)
}

fn renew(mut entry: Entry<'_, List>, limit: &Limit, units: u32, id: u64, now: Now) -> u32 {
    let renewed = entry.change(|cell| {
        let List::Permits(permits) = &mut cell.value else { return 0 };
        let renewed = permits.renew(limit, id, now.ms).min(units);
        if renewed > 0 {
            let until = now.ms + permits.lifetime(limit, now.ms) + SPARE_MS;
            cell.set_until(until, limit, cell.value.room(limit));
        }
        renewed
    });
    renewed.unwrap_or(0)
}
