//! Promise: waiting calls get their turns in the order in which they reach the server.

use super::Case;
use crate::history::{Adjusted, Outcome, Record};
use crate::schedule::{Fault, Kind, Schedule};
use ratelimit::Algorithm;
use std::time::Duration;

/// If two calls are sent this far apart, they reach the server in the same order while the network has no faults.
const APART: Duration = Duration::from_millis(30);
/// The tolerance for the time of a turn, because of timers and the delay of the reply.
const EXACT: Duration = Duration::from_millis(25);

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    // The turns in a log stay in order even if its count changes.
    let is_log = case.limit.algorithm() == Algorithm::SlidingLog;
    let is_exact = !case.limit.longest_wait().is_zero()
        && (is_log || case.schedule.changes(case.at) == 0)
        && !case.schedule.is_disturbed()
        && !case.calls.iter().any(|record| record.call.kind.steers() || record.is_done())
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

/// Whether units of a sliding window were returned between `from` and `to`. A later call can use these units at once, while an
/// earlier call keeps its reserved turn. A dropped call also returns its units.
fn returned(case: &Case<'_>, from: Duration, to: Duration) -> bool {
    let gave = |record: &Record| match record.adjusted {
        Adjusted::Gave(units) => units > 0,
        _ => record.outcome == Outcome::Dropped,
    };
    let is_window = case.limit.algorithm() == Algorithm::SlidingWindow;
    is_window
        && case.calls.iter().any(|record| gave(record) && record.ended + APART > from && record.ended < to)
}

/// Whether the second call must come after the first. Permits are the exception: a later call may pass if it needs fewer
/// permits.
fn may_not_overtake(case: &Case<'_>, first: &Record, second: &Record) -> bool {
    !case.is_concurrency() || second.call.cost >= first.call.cost
}

/// Whether the call was admitted and had a turn. A call without units takes no turn.
fn waits(record: &Record) -> bool {
    let may_wait = matches!(record.call.kind, Kind::Acquire | Kind::Charge { .. } | Kind::Permit { .. });
    may_wait && record.call.keep == 0 && record.call.cost > 0 && record.outcome == Outcome::Admitted
}

/// Whether faults or a slow network can delay requests.
fn delays(schedule: &Schedule) -> bool {
    schedule.is_slow
        || schedule.faults().any(|(_, fault)| !matches!(fault, Fault::Kill(_) | Fault::ForgetScripts(_)))
}
