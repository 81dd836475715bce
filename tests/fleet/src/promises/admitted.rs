//! Promise: no limit admits more than its algorithm permits.

use super::Case;
use super::last_effect;
use crate::history::{Adjusted, Outcome, Record};
use crate::schedule::{Kind, Then};
use ratelimit::__testing::conformance::definitions::bound;
use ratelimit::{Algorithm, Limit};
use std::time::Duration;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    if case.is_concurrency() {
        too_many_held(case)
    } else {
        too_much(case).or_else(|| too_much_in_window(case)).or_else(|| too_dense(case))
    }
}

/// Finds an interval in which more was admitted than the algorithm permits.
fn too_much(case: &Case<'_>) -> Option<String> {
    let limit = case.largest();
    let mut admitted: Vec<&Record> =
        case.certain().filter(|record| record.outcome == Outcome::Admitted).collect();
    admitted.sort_by_key(|record| record.ended);
    admitted.iter().map(|first| first.sent).find_map(|from| {
        let mut units = 0;
        admitted.iter().filter(|record| record.sent >= from).find_map(|last| {
            units += counted(last);
            let most = most(case, &limit, from, last.ended);
            (units > most).then(|| {
                let (from, to) = (from.as_micros(), last.ended.as_micros());
                format!("{units} units were admitted from {from} us to {to} us, and at most {most} may be")
            })
        })
    })
}

/// Finds a window of a counter in which more was admitted than its count.
fn too_much_in_window(case: &Case<'_>) -> Option<String> {
    // A counter with blocks is skipped, because the end of a block is stored like the end of a window.
    let is_exact = case.limit.longest_wait().is_zero()
        && case.steps().is_none()
        && case.schedule.changes(case.at) == 0
        && case.steering().next().is_none()
        && !case.schedule.is_disturbed();
    if !is_exact || case.limit.algorithm() != Algorithm::Counter {
        return None;
    }
    case.windows().iter().find_map(|(from, to)| {
        let within = |record: &&Record| {
            record.outcome == Outcome::Admitted && record.sent >= *from && record.ended < *to
        };
        let units: u64 = case.certain().filter(within).map(counted).sum();
        (units > u64::from(case.limit.count())).then(|| {
            format!(
                "{units} units were admitted in the window from {} us to {} us",
                from.as_micros(),
                to.as_micros()
            )
        })
    })
}

/// The longest delay of a request and of a turn while there are no faults.
const LATE: Duration = Duration::from_millis(10);

/// Finds a call of a sliding window at which the units in use exceed the count. The units in use are those of the call's cell,
/// plus the share of the previous cell that the window still covers. The reset-after time of each call shows its cell.
fn too_dense(case: &Case<'_>) -> Option<String> {
    let (time, count) = (case.limit.time(), case.limit.count());
    let is_window = case.limit.algorithm() == Algorithm::SlidingWindow && time > 4 * LATE;
    let is_exact = is_window
        && case.schedule.changes(case.at) == 0
        && case.steering().next().is_none()
        && case.schedule.is_calm();
    if !is_exact {
        return None;
    }
    let admitted: Vec<&Record> = case
        .calls
        .iter()
        .copied()
        .filter(|record| record.outcome == Outcome::Admitted && record.call.limit == case.at)
        .collect();
    let is_in = |record: &Record, from: Duration| {
        let end = record.sent + record.reset;
        end <= from + 2 * time && end + LATE > from + 2 * time
    };
    let units = |from: Duration, until: Duration| {
        let counts = |record: &&&Record| is_in(record, from) && record.ended <= until;
        u128::from(admitted.iter().filter(counts).map(|record| counted(record)).sum::<u64>())
    };
    case.windows().iter().filter_map(|(_, end)| end.checked_sub(2 * time)).find_map(|from| {
        let before = from.checked_sub(time).map_or(0, |before| units(before, from + time));
        admitted.iter().filter(|record| is_in(record, from) && counted(record) > 0).find_map(|last| {
            let left = (from + time).saturating_sub(last.ended);
            let covered = (before * left.as_micros()).div_ceil(time.as_micros());
            let sum = units(from, last.ended.saturating_sub(LATE)) + u128::from(counted(last)) + covered;
            (sum > u128::from(count))
                .then(|| format!("{sum} units of {count} count in a sliding window: {last}"))
        })
    })
}

/// Returns the units of an admitted call that count. A refund or a settlement may return units of a charge, also if its reply
/// is lost, and other calls may take these units. Such a charge counts 0.
pub(super) fn counted(record: &Record) -> u64 {
    match (record.call.kind, record.adjusted) {
        (
            Kind::Charge { then: Then::Refund | Then::Later(_) | Then::Settle(_) },
            Adjusted::Unknown | Adjusted::Gave(_),
        ) => 0,
        _ => u64::from(record.call.cost),
    }
}

pub(super) fn most(case: &Case<'_>, limit: &Limit, from: Duration, to: Duration) -> u64 {
    let (losses, stepped) = case
        .schedule
        .disturbances()
        .filter(|(at, _)| *at <= to && *at + Duration::from_secs(3) >= from)
        .fold((0, Duration::ZERO), |(losses, stepped), (_, step)| (losses + 1, stepped + step));
    let changes = case.schedule.changes(case.at) as u64;
    let resets = case.resets().filter(|reset| reset.sent <= to && last_effect(reset) >= from).count() as u64;
    bound(limit, to.saturating_sub(from) + stepped).saturating_mul(losses + changes + resets + 1)
}

/// Finds a moment at which callers held more permits than the limit has. A caller holds its permits from the reply until it
/// drops them. In the store, the permits are taken for a longer time.
fn too_many_held(case: &Case<'_>) -> Option<String> {
    let (schedule, limit) = (case.schedule, case.largest());
    if schedule.is_disturbed() || schedule.cuts_off(limit.time()) || case.resets().next().is_some() {
        return None;
    }
    let held: Vec<(Duration, Duration, u32)> = case
        .certain()
        .filter_map(|record| Some((record.ended, record.released?, record.call.cost)))
        .collect();
    held.iter().find_map(|(moment, _, _)| {
        let at_once = held.iter().filter(|(from, to, _)| from <= moment && moment < to);
        let units: u32 = at_once.map(|(_, _, cost)| cost).sum();
        (units > limit.capacity()).then(|| format!("{units} permits are held at {} us", moment.as_micros()))
    })
}
