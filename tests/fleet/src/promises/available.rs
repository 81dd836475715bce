//! Calls are decided while all is well, and processes believe what is true.

use crate::history::{Changed, Happened, Outcome, Record};
use crate::process::with_count;
use crate::run::Findings;
use crate::schedule::{Fault, Schedule};

pub(super) fn broken(schedule: &Schedule, happened: &Happened, findings: &Findings) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    broken.extend(findings.unavailable.iter().map(|error| format!("still fails when all is quiet: {error}")));
    broken.extend(needless(schedule, &happened.calls));
    for (at, limit) in schedule.limits.iter().enumerate() {
        let of_limit = |(_, of, _): &&(usize, usize, u32)| *of == at;
        let seen = findings.seen.iter().find(|seen| seen.0 == at).and_then(|seen| seen.2.as_ref().ok());
        let Some(known) = seen.map(ratelimit::Decision::capacity) else { continue };
        let wrong = findings.believed.iter().filter(of_limit).find(|(_, _, capacity)| *capacity != known);
        broken.extend(wrong.map(|(process, _, capacity)| {
            format!("process {process} takes {capacity} as the capacity of limit {at}, and it is {known}")
        }));
        let loses_keys =
            schedule.faults().any(|(_, fault)| matches!(fault, Fault::Restart { keeps_keys: false, .. }));
        if let Some(last) = last_change(&happened.changes, at).filter(|_| !loses_keys) {
            let expected =
                last.change.how.count().map_or(*limit, |count| with_count(limit, count)).capacity();
            if known != expected {
                broken
                    .push(format!("the capacity of limit {at} is {known}, and not {expected} after {last}"));
            }
        }
    }
    broken
}

/// A call had no decision although nothing was wrong.
fn needless(schedule: &Schedule, calls: &[Record]) -> Option<String> {
    let is_unknown = |record: &&Record| matches!(record.outcome, Outcome::Unknown(_));
    let is_needless =
        |record: &&Record| !schedule.explains_failure(record.call.process, record.sent, record.ended);
    calls.iter().filter(is_unknown).find(is_needless).map(|record| format!("had no decision: {record}"))
}

/// The last change of the overrides of a limit, if it is certain which one is the last.
fn last_change(changes: &[Changed], limit: usize) -> Option<&Changed> {
    let mut of_limit: Vec<&Changed> =
        changes.iter().filter(|changed| changed.change.limit == limit).collect();
    of_limit.sort_by_key(|changed| changed.sent);
    let (last, earlier) = of_limit.split_last()?;
    let is_certain = last.error.is_none()
        && earlier.iter().all(|earlier| earlier.error.is_none() && earlier.ended < last.sent);
    is_certain.then_some(last)
}
