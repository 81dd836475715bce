//! Promise: a server that refuses writes still refuses callers that have used up their limits.

use super::Case;
use crate::history::{Outcome, Record};
use crate::schedule::{Fault, Layout};
use crate::server::Trouble;
use std::time::Duration;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    let is_long = case.limit.time() > case.schedule.length() * 2 && case.limit.calendar_window().is_none();
    let is_exact = is_long
        && case.schedule.layout == Layout::One
        && !case.limit.is_queue()
        && !case.is_leased()
        && case.schedule.changes(case.at) == 0
        && !case.schedule.is_disturbed()
        && !case.calls.iter().any(|record| record.call.kind.steers() || record.is_done());
    if !is_exact {
        return None;
    }
    let mut calls = case.calls.iter().copied();
    calls.find_map(|record| {
        let needs = u64::from(record.call.cost);
        let is_used_up = needs > 0 && used(case, record) + needs > u64::from(case.limit.capacity());
        let is_broken = is_used_up && refuses(case, record) && !record.is_refused();
        (is_broken && record.outcome != Outcome::Dropped)
            .then(|| format!("not refused, although its units were used up and the server answers: {record}"))
    })
}

/// Whether the server refuses writes for the whole time of the call, and no other fault concerns the call.
fn refuses(case: &Case<'_>, record: &Record) -> bool {
    let is_about_writes = |trouble| {
        use Trouble::{Misconfigured, NoReplicas, OutOfMemory};
        matches!(trouble, OutOfMemory | NoReplicas | Misconfigured)
    };
    let mut is_refusing = false;
    let is_other = case.schedule.faults().any(|(at, fault)| match fault {
        Fault::Reject(_, trouble, time) if is_about_writes(trouble) => {
            let is_within = at < record.sent && record.ended < at + time;
            is_refusing |= is_within;
            let is_apart = record.ended < at || record.sent > at + time + Duration::from_secs(2);
            !is_within && !is_apart
        }
        _ => at <= record.ended,
    });
    is_refusing && !is_other && !record.call.kind.is_stack()
}

/// The units that were certainly in use when the call was decided. Nothing comes back during the run, except permits and
/// refunds.
fn used(case: &Case<'_>, decided: &Record) -> u64 {
    let before = case.certain().filter(|record| record.ended < decided.sent);
    let is_held = |record: &Record| record.released.is_some_and(|released| released > decided.ended);
    let in_use = |record: &Record| match record.outcome {
        Outcome::Admitted if !case.is_concurrency() => record.units().0,
        Outcome::Admitted if is_held(record) => record.call.cost.into(),
        _ => 0,
    };
    before.map(in_use).sum()
}
