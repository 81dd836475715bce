//! Promises: calls are decided while there are no faults, and the view of each process agrees with the servers.

use crate::findings::Findings;
use crate::history::{Changed, Happened, Outcome, Record};
use crate::process::with_count;
use crate::schedule::{Fault, Hand, Kind, Layout, Schedule};
use ratelimit::OnError;
use std::time::Duration;

/// The time after a missed deadline in which a process certainly finds that its connection is dead, and opens another.
const FOUND: Duration = Duration::from_millis(500);

pub(super) fn broken(schedule: &Schedule, happened: &Happened, findings: &Findings) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    broken.extend(findings.unavailable.iter().map(|error| format!("still fails when all is quiet: {error}")));
    broken.extend(needless(schedule, &happened.calls, findings));
    broken.extend(late_again(schedule, &happened.calls, findings));
    broken.extend(unready(schedule, &happened.calls, findings));
    broken.extend(unsaved(&happened.changes, findings));
    if findings.redirected > 0 {
        broken.push(format!("{} commands were redirected when all was quiet", findings.redirected));
    }
    for (at, limit) in schedule.limits.iter().enumerate() {
        let of_limit = |(_, of, _): &&(usize, usize, u32)| *of == at;
        let seen = findings.seen.iter().find(|seen| seen.0 == at).and_then(|seen| seen.2.as_ref().ok());
        let Some(known) = seen.map(ratelimit::Decision::capacity) else { continue };
        // After a failover, an older override may apply again, and nobody knows when it ends.
        let expires = |(_, of, _, expires): &(_, usize, _, Option<Duration>)| *of == at && expires.is_some();
        if schedule.loses_keys() && findings.overrides.iter().any(expires) {
            continue;
        }
        let stored = findings.overrides.iter().rfind(|(_, of, ..)| *of == at);
        let is_expired = stored
            .map_or(Some(false), |(moment, .., expires)| is_expired(schedule, findings, *moment, *expires));
        let Some(is_expired) = is_expired else { continue };
        let wrong = findings.believed.iter().filter(of_limit).find(|(_, _, capacity)| *capacity != known);
        broken.extend(wrong.map(|(process, _, capacity)| {
            format!("process {process} takes {capacity} as the capacity of limit {at}, and it is {known}")
        }));
        if let Some((moment, _, count, _)) = stored.filter(|_| !schedule.loses_keys()) {
            let count = count.filter(|_| !is_expired);
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

/// Whether an override had expired when the fleet was inspected. `None` if the times are too near to each other, or if the
/// servers' clocks have jumped.
fn is_expired(
    schedule: &Schedule,
    findings: &Findings,
    moment: Duration,
    expires: Option<Duration>,
) -> Option<bool> {
    let Some(expires) = expires else { return Some(false) };
    let jumps = schedule.faults().any(|(_, fault)| matches!(fault, Fault::Clock { .. }));
    let end = moment + expires;
    let is_near = findings.began.abs_diff(end) < Duration::from_secs(3);
    (!jumps && !is_near).then_some(end < findings.began)
}

/// Finds a call without a decision, if no fault of the schedule explains why it has none.
fn needless(schedule: &Schedule, calls: &[Record], findings: &Findings) -> Option<String> {
    let is_unknown = |record: &&Record| matches!(record.outcome, Outcome::Unknown(_));
    let is_needless = |record: &&Record| {
        let has_policy = schedule.policy != OnError::Deny && record.call.kind.is_call();
        has_policy && !may_be_wrong(schedule, calls, findings, record)
            || !schedule.explains_failure(record, findings)
    };
    calls.iter().filter(is_unknown).find(is_needless).map(|record| format!("had no decision: {record}"))
}

/// Finds a call that has no decision because of a black hole, although an earlier call of the process has missed its deadline
/// there. A connection that a black hole swallows while it is being made is given up after a longer time.
fn late_again(schedule: &Schedule, calls: &[Record], findings: &Findings) -> Option<String> {
    let is_hole = |fault| matches!(fault, Fault::BlackHole { .. });
    let is_late = |record: &&Record| {
        matches!(record.outcome, Outcome::Unknown(_))
            && schedule.has_cause(record, findings, is_hole)
            && !schedule.has_cause(record, findings, |fault| !is_hole(fault))
    };
    if schedule.layout != Layout::One {
        return None; // each server may have its own black hole
    }
    let mut holes = schedule.faults().filter(|(_, fault)| is_hole(*fault)).map(|(at, _)| at).peekable();
    while let Some(at) = holes.next() {
        let until = holes.peek().copied().unwrap_or(Duration::MAX);
        let late = calls.iter().filter(is_late).filter(|record| record.sent >= at && record.ended < until);
        let was_connected = |record: &&Record| {
            let last = calls.iter().filter(|call| call.number == record.number && call.ended < at);
            let last = last.max_by_key(|call| call.ended);
            let has_decision =
                |last: &Record| matches!(last.outcome, Outcome::Admitted | Outcome::Refused(_));
            last.is_some_and(|last| has_decision(last) && !schedule.explains_failure(last, findings))
        };
        for first in late.clone().filter(was_connected) {
            let is_again = |later: &&Record| later.number == first.number && later.sent > first.ended + FOUND;
            if let Some(later) = late.clone().find(is_again) {
                return Some(format!("missed its deadline after another: {first} and then {later}"));
            }
        }
    }
    None
}

/// Whether a wrong configuration may reject the call under every policy: a fault concerns the credentials, and the process had
/// not decided through its store before.
fn may_be_wrong(schedule: &Schedule, calls: &[Record], findings: &Findings, record: &Record) -> bool {
    let is_wrong = schedule.faults().any(|(at, fault)| match fault {
        Fault::Reject(_, trouble, _) => trouble.is_about_credentials() && at <= record.ended,
        _ => false,
    });
    // If a fault explains a failure, the policy may have decided.
    let has_decided = |earlier: &Record| {
        let decided = matches!(earlier.outcome, Outcome::Admitted | Outcome::Refused(_));
        let is_earlier = earlier.number == record.number && earlier.ended < record.sent;
        decided && is_earlier && !schedule.explains_failure(earlier, findings)
    };
    is_wrong && !calls.iter().any(has_decided)
}

/// Finds a process that was not ready, although its failure policy lets calls run, or no fault explains it.
fn unready(schedule: &Schedule, calls: &[Record], findings: &Findings) -> Option<String> {
    let is_unready =
        |record: &&Record| record.call.kind == Kind::Hand(Hand::Status) && record.outcome == Outcome::Done(0);
    let is_wrong = |record: &&Record| {
        schedule.policy != OnError::Deny && !may_be_wrong(schedule, calls, findings, record)
            || !schedule.explains_failure(record, findings)
    };
    calls.iter().filter(is_unready).find(is_wrong).map(|record| format!("was not ready: {record}"))
}

/// Finds a change of an override that was reported as saved, although no server stored this override while the change was under
/// way.
fn unsaved(changes: &[Changed], findings: &Findings) -> Option<String> {
    let is_stored = |changed: &&Changed| {
        let count = changed.change.how.count();
        findings.overrides.iter().any(|(at, limit, stored, _)| {
            *limit == changed.change.limit && *stored == count && changed.sent <= *at && *at <= changed.ended
        })
    };
    let mut saved = changes.iter().filter(|changed| changed.error.is_none());
    saved.find(|changed| !is_stored(changed)).map(|changed| format!("was not saved: {changed}"))
}
