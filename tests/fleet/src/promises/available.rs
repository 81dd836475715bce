//! Promises: calls are decided while there are no faults, and the view of each process agrees with the servers.

use crate::findings::Findings;
use crate::history::{Changed, Happened, Outcome, Record};
use crate::process::with_count;
use crate::schedule::Schedule;

pub(super) fn broken(schedule: &Schedule, happened: &Happened, findings: &Findings) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    broken.extend(findings.unavailable.iter().map(|error| format!("still fails when all is quiet: {error}")));
    broken.extend(needless(schedule, &happened.calls));
    broken.extend(unsaved(&happened.changes, findings));
    if findings.redirected > 0 {
        broken.push(format!("{} commands were redirected when all was quiet", findings.redirected));
    }
    for (at, limit) in schedule.limits.iter().enumerate() {
        let of_limit = |(_, of, _): &&(usize, usize, u32)| *of == at;
        let seen = findings.seen.iter().find(|seen| seen.0 == at).and_then(|seen| seen.2.as_ref().ok());
        let Some(known) = seen.map(ratelimit::Decision::capacity) else { continue };
        let wrong = findings.believed.iter().filter(of_limit).find(|(_, _, capacity)| *capacity != known);
        broken.extend(wrong.map(|(process, _, capacity)| {
            format!("process {process} takes {capacity} as the capacity of limit {at}, and it is {known}")
        }));
        let stored = findings.overrides.iter().rfind(|(_, of, _)| *of == at);
        if let Some((moment, _, count)) = stored.filter(|_| !schedule.loses_keys()) {
            let expected = count.map_or(*limit, |count| with_count(limit, count)).capacity();
            if known != expected {
                let moment = moment.as_micros();
                broken.push(format!(
                    "the capacity of limit {at} is {known}, and not {expected} since the override at {moment} us"
                ));
            }
        }
    }
    broken
}

/// Finds a call without a decision, if no fault of the schedule explains why it has none.
fn needless(schedule: &Schedule, calls: &[Record]) -> Option<String> {
    let is_unknown = |record: &&Record| matches!(record.outcome, Outcome::Unknown(_));
    let is_needless = |record: &&Record| !schedule.explains_failure(record);
    calls.iter().filter(is_unknown).find(is_needless).map(|record| format!("had no decision: {record}"))
}

/// Finds a change of an override that was reported as saved, although no server stored this override while the change was under
/// way.
fn unsaved(changes: &[Changed], findings: &Findings) -> Option<String> {
    let is_stored = |changed: &&Changed| {
        let count = changed.change.how.count();
        findings.overrides.iter().any(|(at, limit, stored)| {
            *limit == changed.change.limit && *stored == count && changed.sent <= *at && *at <= changed.ended
        })
    };
    let mut saved = changes.iter().filter(|changed| changed.error.is_none());
    saved.find(|changed| !is_stored(changed)).map(|changed| format!("was not saved: {changed}"))
}
