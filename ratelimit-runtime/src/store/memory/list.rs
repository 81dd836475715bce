//! Limits whose state is a list: sliding log, concurrency.

use super::ask::{Ask, Now, without_asking};
use super::concurrency::Permits;
use super::shard::{Cell, Value};
use super::sliding_log::Log;
use super::table::Entry;
use super::verdict::{Charged, Verdict, Wait};
use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::Change;

/// Remembered so much longer than it counts, as by the scripts.
const SPARE_MS: u64 = 1000;

#[derive(Debug, Default)]
pub(super) enum Held {
    #[default]
    Nothing,
    Log(Box<Log>),
    Permits(Box<Permits>),
}

impl Value for Held {
    fn weight(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Log(log) => size_of::<Log>() + log.bytes(),
            Self::Permits(permits) => size_of::<Permits>() + permits.bytes(),
        }
    }
}

impl Held {
    /// What a limit begins with.
    fn new(limit: &Limit) -> Self {
        if limit.is_concurrency() { Self::Permits(Box::default()) } else { Self::Log(Box::default()) }
    }

    fn judge(&self, ask: &Ask<'_>, now: Now) -> Verdict {
        let Ask { limit, cost, permit, .. } = *ask;
        if limit.refuses_all() {
            return Verdict { wait: Wait::Never, room: 0, reset_ms: 0 };
        }
        match self {
            Self::Permits(permits) if limit.is_concurrency() => permits.judge(limit, cost, permit, now.ms),
            Self::Log(log) if !limit.is_concurrency() => log.judge(limit, cost, now.us),
            _ if limit.is_concurrency() => Permits::default().judge(limit, cost, permit, now.ms),
            _ => Log::default().judge(limit, cost, now.us),
        }
    }

    /// Charges, and says how long the state lives, in ms.
    fn charge(&mut self, ask: &Ask<'_>, wait: u64, now: Now) -> (Charged, u64) {
        match self {
            Self::Permits(permits) => {
                let charged = permits.charge(ask.limit, ask.cost, ask.permit, now.ms);
                (charged, permits.lives(ask.limit, now.ms))
            }
            Self::Log(log) => {
                let charged = log.charge(ask.limit, ask.cost, wait, now.us);
                (charged, charged.reset_ms)
            }
            Self::Nothing => (Charged::default(), 0),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Log(log) => log.is_empty(),
            Self::Permits(permits) => permits.is_empty(),
        }
    }
}

/// Changes the state, which is made if there is none, and sets how long it lives.
fn with<R>(entry: Entry<'_, Held>, limit: &Limit, now: Now, change: impl FnOnce(&mut Held) -> (R, u64)) -> R {
    let make = || Cell { value: Held::new(limit), deadline: 0 };
    entry.change_or_make(make, |cell| {
        let (changed, lives_ms) = change(&mut cell.value);
        cell.deadline = now.ms + lives_ms + SPARE_MS;
        changed
    })
}

pub(super) fn judge(entry: &Entry<'_, Held>, ask: &Ask<'_>, now: Now) -> Verdict {
    entry.cell().map_or(&Held::Nothing, |cell| &cell.value).judge(ask, now)
}

/// Charges what [`judge`] let pass.
pub(super) fn charge(
    entry: Entry<'_, Held>,
    ask: &Ask<'_>,
    verdict: &Verdict,
    wait: u64,
    now: Now,
) -> Decision {
    let charged = with(entry, ask.limit, now, |held| held.charge(ask, wait, now));
    verdict.charged(ask.limit, ask.cost, wait, charged, ask.stamped)
}

/// Judges a request, and charges it if it passes; a refused one may leave a ticket.
pub(super) fn decide(entry: Entry<'_, Held>, ask: &Ask<'_>, now: Now) -> Decision {
    let verdict = judge(&entry, ask, now);
    match verdict.passes(ask.patience) {
        Some(wait) if ask.charges => charge(entry, ask, &verdict, wait, now),
        None if ask.queues(&verdict) => queue(entry, ask, &verdict, now),
        _ => verdict.decision(ask.limit, ask.patience),
    }
}

/// Leaves the ticket of one that waits for a permit.
fn queue(entry: Entry<'_, Held>, ask: &Ask<'_>, verdict: &Verdict, now: Now) -> Decision {
    let Wait::Millis(wait) = verdict.wait else { return verdict.decision(ask.limit, 0) };
    let again = with(entry, ask.limit, now, |held| {
        let Held::Permits(permits) = held else { return (wait, 0) };
        let again = permits.queue(ask.limit, ask.cost, ask.permit, wait, now.ms);
        (again, permits.lives(ask.limit, now.ms))
    });
    Verdict { wait: Wait::Millis(again), ..*verdict }.decision(ask.limit, 0)
}

pub(super) fn adjust(entry: Entry<'_, Held>, limit: &Limit, units: u32, change: Change, now: Now) -> u32 {
    match change {
        _ if limit.refuses_all() => 0,
        Change::Give(stamp) => give(entry, units, stamp),
        Change::Take => {
            let room = judge(&entry, &Ask::unasked(limit, 0), now).room;
            let cost = without_asking(limit, units, room);
            if cost > 0 {
                with(entry, limit, now, |held| held.charge(&Ask::unasked(limit, cost), 0, now));
            }
            cost
        }
        Change::Renew(id) => renew(entry, limit, units, id, now),
    }
}

fn give(mut entry: Entry<'_, Held>, units: u32, stamp: u64) -> u32 {
    let given = entry.change(|cell| match &mut cell.value {
        Held::Log(log) => log.give(units, stamp),
        Held::Permits(permits) => permits.give(units, stamp),
        Held::Nothing => 0,
    });
    if entry.cell().is_some_and(|cell| cell.value.is_empty()) {
        entry.remove();
    }
    given.unwrap_or(0)
}

fn renew(mut entry: Entry<'_, Held>, limit: &Limit, units: u32, id: u64, now: Now) -> u32 {
    let renewed = entry.change(|cell| {
        let Held::Permits(permits) = &mut cell.value else { return 0 };
        let renewed = permits.renew(limit, id, now.ms).min(units);
        if renewed > 0 {
            cell.deadline = now.ms + permits.lives(limit, now.ms) + SPARE_MS;
        }
        renewed
    });
    renewed.unwrap_or(0)
}
