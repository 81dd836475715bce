//! Promises: the server has counted each call once, and no permit is lost.

use super::{Case, last_effect};
use crate::history::Record;
use ratelimit::Limit;
use std::time::Duration;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    if case.is_concurrency() { lost_permits(case) } else { miscounted(case) }
}

fn lost_permits(case: &Case<'_>) -> Option<String> {
    let held = match case.seen(&case.findings.seen_later)? {
        Ok(held) => held,
        Err(error) => return Some(error),
    };
    if held > 0 {
        return Some(format!("{held} permits are lost"));
    }
    // Only a process that has ended may leave permits behind until their leases end.
    match case.seen(&case.findings.seen)? {
        Ok(held) if held > 0 && !case.schedule.ends_processes() && !case.schedule.loses_keys() => {
            Some(format!("{held} permits are still taken when all is quiet"))
        }
        _ => None,
    }
}

/// Finds a call that the server counted twice, or an admitted call that it did not count.
fn miscounted(case: &Case<'_>) -> Option<String> {
    let used = match case.seen(&case.findings.seen)? {
        Ok(used) => used,
        Err(error) => return Some(error),
    };
    let schedule = case.schedule;
    let is_short = case.limit.time() < schedule.length() * 50 + Duration::from_secs(3600)
        || case.limit.calendar_window().is_some();
    let is_lost = |reset: &Record| !reset.is_done();
    if is_short
        || schedule.is_disturbed()
        || schedule.changes(case.at) > 0
        || case.has_pauses()
        || case.resets().any(is_lost)
    {
        return None; // some units have come back during the run
    }
    let reset = case.resets().max_by_key(|reset| reset.ended);
    let sum = |(least, most), units: (u64, u64)| (least + units.0, most + units.1);
    let of = |record: &&Record| {
        let (least, most) = record.units();
        let (is_before, is_after) = reset
            .map_or((false, true), |reset| (last_effect(record) < reset.sent, record.sent > reset.ended));
        // A process may have decided the call without the server, although the server has counted it. Then the units that the
        // call gave back were not the server's.
        // After a reset, other processes still hand out units that they leased before.
        let was_leased = case.is_leased() && reset.is_some();
        let is_certain = is_after && !case.may_be_elsewhere(record) && !was_leased;
        let counted = if case.may_be_elsewhere(record) { record.call.cost.into() } else { 0 };
        let may_count = most.max(counted);
        (if is_certain { least } else { 0 }, if is_before { 0 } else { may_count })
    };
    let (least, most) = case.calls.iter().copied().map(|record| of(&record)).fold((0, 0), sum);
    // If a process is killed, or if a fetch or a return of leased units is lost, these units are lost until the window ends. If
    // the limits of a stack are decided one by one, units are lost if their return is lost.
    let is_split = case.calls.iter().any(|record| schedule.splits(record));
    let may_lose = (case.is_leased() || is_split) && !schedule.is_calm();
    if used < least && used < most_shown(case.limit) {
        return Some(format!("{used} units are used, although {least} were admitted"));
    }
    (used > most && !may_lose).then(|| format!("{used} units are used, although at most {most} were sent"))
}

/// The most used units that a decision shows. A decision shows a debt as 0 remaining units.
fn most_shown(limit: &Limit) -> u64 {
    u64::from(limit.capacity())
}
