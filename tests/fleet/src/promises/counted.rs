//! Promises: the server has counted each call once, and no permit is lost.

use super::Case;
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
    if is_short || schedule.is_disturbed() || schedule.changes(case.at) > 0 {
        return None; // some units have come back during the run
    }
    let sum = |(least, most), units: (u64, u64)| (least + units.0, most + units.1);
    let (least, most) = case.calls.iter().map(|record| record.units()).fold((0, 0), sum);
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
