//! Promises: no call is refused without a reason, and the times in decisions are correct.

use super::troubles::UNDER_WAY;
use super::{Case, TIMER};
use crate::history::Adjusted;
use crate::history::{Outcome, Record};
use crate::schedule::{Hand, Kind};
use std::time::Duration;

/// The deny cache of a process repeats a refusal for at most this time.
pub(super) const REMEMBERED: Duration = Duration::from_secs(1);

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    let is_exact = case.schedule.changes(case.at) == 0
        && !case.schedule.is_disturbed()
        && !case.limit.is_queue()
        && !case.has_pauses();
    if !is_exact {
        return None;
    }
    if let Some(broken) = too_long(case) {
        return Some(broken);
    }
    let mut refused = case.calls.iter().filter(|record| record.is_refused() && is_alone(record));
    refused.find_map(|record| needless(case, record).or_else(|| again(case, record)))
}

/// Finds a decision whose retry-after or reset-after time is longer than the limit permits.
fn too_long(case: &Case<'_>) -> Option<String> {
    // A bucket in debt leaks for twice its time.
    let longest =
        Duration::from_millis(2 * case.limit.longest_reset_ms()) + case.limit.longest_wait() + TIMER;
    let longest = longest.max(case.steps().map_or(Duration::ZERO, |(_, last)| last + TIMER));
    let blocks = case.steering().filter_map(|record| match record.call.kind {
        Kind::Hand(Hand::Block(time)) => Some(time + TIMER),
        _ => None,
    });
    let longest = longest.max(blocks.max().unwrap_or_default());
    let is_too_long = |record: &&&Record| {
        let retry = if let Outcome::Refused(retry) = record.outcome { retry } else { None };
        record.call.limit == case.at && retry.unwrap_or(record.reset) > longest
    };
    let alone = case.calls.iter().filter(|record| is_alone(record));
    alone
        .clone()
        .find(is_too_long)
        .map(|record| format!("was told {:?}, and the longest time is {longest:?}: {record}", record.reset))
}

/// Whether the call has only one limit. If a stack was refused, its other limit may be the reason.
fn is_alone(record: &Record) -> bool {
    !record.call.kind.is_stack()
}

/// Finds a call that was refused although its units fit beside all units that can be in use.
fn needless(case: &Case<'_>, refused: &Record) -> Option<String> {
    if super::blocked::may_be_blocked(case, refused) {
        return None;
    }
    let leased = if case.is_leased() { leased_by_others(case)? } else { 0 };
    // Calls that wait keep their turns when units come back, and nobody overtakes them.
    if !case.limit.longest_wait().is_zero()
        && case.calls.iter().any(|record| returned(case, record, refused) > 0)
    {
        return None;
    }
    let memory = memory(case);
    let counts = |record: &&&Record| {
        record.sent <= refused.ended && last_effect(case, record) + memory >= refused.sent
    };
    let counted = case.calls.iter().filter(counts).filter(|record| !is_reset(case, record, refused));
    let used: u64 = counted.map(|record| largest_use(case, record) - returned(case, record, refused)).sum();
    let needed = u64::from(refused.call.cost) + u64::from(refused.call.keep);
    let fits = used + leased + needed <= u64::from(case.limit.capacity());
    fits.then(|| format!("refused although at most {} units are in use: {refused}", used + leased))
}

/// Whether the units of a call were certainly deleted before the refusal.
fn is_reset(case: &Case<'_>, record: &Record, refused: &Record) -> bool {
    let mut resets = case.resets().filter(|reset| reset.is_done());
    resets.any(|reset| super::last_effect(record) < reset.sent && knows(refused, reset.number, reset.ended))
}

/// Whether a process certainly knew at the refusal what another process had done at `moment`. The process that returns units
/// forgets its refusals. Another process may remember a refusal for a second.
fn knows(refused: &Record, number: usize, moment: Duration) -> bool {
    let remembered = if number == refused.number { Duration::ZERO } else { REMEMBERED + TIMER };
    moment + remembered < refused.sent
}

/// The units that a call had certainly returned before the refusal, where they were taken.
fn returned(case: &Case<'_>, record: &Record, refused: &Record) -> u64 {
    if case.may_be_elsewhere(record) {
        return 0;
    }
    match (record.adjusted, record.adjusting) {
        (Adjusted::Gave(units), Some((_, confirmed))) if knows(refused, record.number, confirmed) => {
            u64::from(units.min(record.call.cost))
        }
        _ => 0,
    }
}

/// The longest time for which units stay in use.
fn memory(case: &Case<'_>) -> Duration {
    let wait = case.limit.longest_wait();
    if case.is_concurrency() {
        return TIMER;
    }
    // A bucket in debt leaks for twice its time.
    Duration::from_millis(2 * case.limit.longest_reset_ms()) + wait + TIMER
}

/// The time after which the call can no longer take units.
fn last_effect(case: &Case<'_>, record: &Record) -> Duration {
    let under_way = match record.outcome {
        Outcome::Unknown(_) | Outcome::Dropped => UNDER_WAY,
        _ => Duration::ZERO,
    };
    if case.is_concurrency() {
        // The return of a permit takes time. If the return is lost, the permit ends with its lease.
        let returned =
            if case.schedule.is_calm() { Duration::from_millis(50) } else { case.limit.time() * 2 };
        return record.released.unwrap_or(record.ended) + case.limit.longest_wait() + returned + under_way;
    }
    // The units of a charge may stay in use until its refund or settlement arrives.
    let adjusted = record.adjusting.map_or(Duration::ZERO, |(_, confirmed)| confirmed);
    (record.ended + case.schedule.deadline).max(adjusted) + under_way
}

/// The most units that the call may have had in use at once. A refused call that waits for a permit has a ticket, which counts
/// like its units.
fn largest_use(case: &Case<'_>, record: &Record) -> u64 {
    let has_ticket = case.is_concurrency() && !case.limit.longest_wait().is_zero();
    let takes = record.call.kind.is_call()
        && (!record.is_refused()
            || has_ticket
            || case.schedule.splits(record)
            || case.may_be_elsewhere(record))
        || record.call.kind == Kind::Hand(Hand::Penalize);
    if takes { u64::from(record.call.cost).max(record.units().1) } else { 0 }
}

/// The most leased units that the processes may hold. `None` if faults may have lost units.
fn leased_by_others(case: &Case<'_>) -> Option<u64> {
    let processes = case.calls.iter().map(|record| record.number).max().unwrap_or(0) as u64 + 1;
    let is_known = case.schedule.is_calm() && !case.schedule.ends_processes();
    is_known.then(|| processes * 2 * u64::from(case.limit.largest_lease()))
}

/// Finds a call that was refused although the retry-after time of an earlier refusal had passed. Considers only a call that
/// needs no more units than the refused earlier call, if no other call took units in between.
fn again(case: &Case<'_>, first: &Record) -> Option<String> {
    let Outcome::Refused(Some(retry)) = first.outcome else { return None };
    if case.is_concurrency() || case.is_leased() {
        return None;
    }
    let passes = first.ended + retry + TIMER;
    let needs_no_more =
        |later: &Record| later.call.cost <= first.call.cost && later.call.keep <= first.call.keep;
    let later = case
        .calls
        .iter()
        .filter(|later| later.call.kind.is_call() && later.sent >= passes && needs_no_more(later));
    let second = later.min_by_key(|later| later.sent)?;
    let is_between = |other: &&&Record| {
        let takes_nothing = other.is_refused() && !case.schedule.splits(other) && case.steps().is_none()
            || other.call.cost == 0 && other.units().1 == 0;
        other.step != first.step
            && other.step != second.step
            && !takes_nothing
            && other.sent <= second.ended
            && last_effect(case, other) + TIMER + REMEMBERED >= first.sent
    };
    let may_be_elsewhere = case.may_be_elsewhere(first) || case.may_be_elsewhere(second);
    let is_broken = second.is_refused()
        && is_alone(second)
        && !may_be_elsewhere
        && !super::blocked::may_be_blocked_by_hand(case, second)
        && !case.is_steered(first.sent, second.ended)
        && !case.calls.iter().any(|other| is_between(&other));
    is_broken.then(|| format!("refused again: {first} and then {second}"))
}
