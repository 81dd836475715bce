//! Calls that wait get their turns in the order in which they reach the server.

use super::Case;
use crate::history::{Adjusted, Outcome, Record};
use crate::schedule::{Fault, Kind, Schedule};
use ratelimit::Algorithm;
use std::time::Duration;

/// A call that is sent later than this after another one reaches the server later, while the network is well.
const APART: Duration = Duration::from_millis(30);
/// How exactly turns are known: timers, and the way of the reply.
const EXACT: Duration = Duration::from_millis(25);

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    // The turns in a log stay in order also if its count changes.
    let is_log = case.limit.algorithm() == Algorithm::SlidingLog;
    let is_exact = !case.limit.longest_wait().is_zero()
        && (is_log || case.schedule.changes(case.at) == 0)
        && !case.schedule.is_disturbed()
        && !delays(case.schedule);
    if !is_exact {
        return None;
    }
    let waited: Vec<&Record> = case.calls.iter().copied().filter(|record| waits(record)).collect();
    waited.iter().find_map(|first| {
        let later =
            |second: &&&Record| second.sent > first.sent + APART && may_not_overtake(case, first, second);
        let overtakes = |second: &&&Record| {
            second.ended + EXACT < first.ended && !returned(case, first.sent, second.sent + APART)
        };
        let second = waited.iter().filter(later).find(overtakes)?;
        Some(format!("overtaken: {first} by {second}"))
    })
}

/// Whether units came back to a sliding window after one call had its turn, and before another one was decided. They are free at once,
/// and a turn that was given before stays where it is. A call that is dropped returns its turn.
fn returned(case: &Case<'_>, from: Duration, to: Duration) -> bool {
    let gave = |record: &Record| match record.adjusted {
        Adjusted::Gave(units) => units > 0,
        _ => record.outcome == Outcome::Dropped,
    };
    let is_window = case.limit.algorithm() == Algorithm::SlidingWindow;
    is_window
        && case.calls.iter().any(|record| gave(record) && record.ended + APART > from && record.ended < to)
}

/// Permits that are too few for the first call may be enough for a later one.
fn may_not_overtake(case: &Case<'_>, first: &Record, second: &Record) -> bool {
    !case.is_concurrency() || second.call.cost >= first.call.cost
}

/// Whether a call was admitted at its turn. A call without units takes no turn.
fn waits(record: &Record) -> bool {
    let may_wait = matches!(record.call.kind, Kind::Acquire | Kind::Charge { .. } | Kind::Permit { .. });
    may_wait && record.call.keep == 0 && record.call.cost > 0 && record.outcome == Outcome::Admitted
}

/// Whether requests can be late.
fn delays(schedule: &Schedule) -> bool {
    schedule.is_slow
        || schedule.faults().any(|(_, fault)| !matches!(fault, Fault::Kill(_) | Fault::ForgetScripts(_)))
}
