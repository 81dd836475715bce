//! The server has counted each call once, and no permit is lost.

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
    // Only a process that has ended may leave permits until the end of their leases.
    match case.seen(&case.findings.seen)? {
        Ok(held) if held > 0 && !case.schedule.ends_processes() && !case.schedule.loses_keys() => {
            Some(format!("{held} permits are still taken when all is quiet"))
        }
        _ => None,
    }
}

/// The server has counted a call twice, or an admitted call not at all.
fn miscounted(case: &Case<'_>) -> Option<String> {
    let used = match case.seen(&case.findings.seen)? {
        Ok(used) => used,
        Err(error) => return Some(error),
    };
    let schedule = case.schedule;
    let is_short = case.limit.time() < schedule.length() * 50 + Duration::from_secs(3600)
        || case.limit.calendar_window().is_some();
    if is_short || schedule.is_disturbed() || schedule.changes(case.at) > 0 {
        return None; // units have come back meanwhile
    }
    let sum = |(least, most), units: (u64, u64)| (least + units.0, most + units.1);
    let (least, most) = case.calls.iter().map(|record| record.units()).fold((0, 0), sum);
    // Units of a lease whose process was killed, or whose fetch or return was lost, are lost until the window ends.
    // So are those of a stack whose limits are decided one by one, if their return is lost.
    let is_split = case.calls.iter().any(|record| schedule.splits(record));
    let may_lose = (case.is_leased() || is_split) && !schedule.is_calm();
    if used < least && used < most_shown(case.limit) {
        return Some(format!("{used} units are used, although {least} were admitted"));
    }
    (used > most && !may_lose).then(|| format!("{used} units are used, although at most {most} were sent"))
}

/// A debt shows as nothing left.
fn most_shown(limit: &Limit) -> u64 {
    u64::from(limit.capacity())
}
