//! What must hold for each seed.

use crate::history::{Outcome, Record};
use crate::process::longest;
use crate::run::Findings;
use crate::schedule::{CALLERS, Event, Fault, Kind, Schedule};
use ratelimit::{Algorithm, Limit};
use std::time::Duration;

/// Timers of tokio have whole milliseconds.
const TIMER: Duration = Duration::from_millis(2);

/// Returns the promises that a run has broken.
pub(crate) fn broken(schedule: &Schedule, history: &[Record], findings: &Findings) -> Vec<String> {
    let mut broken = Vec::new();
    broken.extend(late(schedule, history));
    for (at, limit) in schedule.limits.iter().enumerate() {
        for who in 0..CALLERS {
            let calls: Vec<&Record> =
                history.iter().filter(|record| record.call.limit == at && record.call.who == who).collect();
            let of = |what: String| format!("limit {at} ({limit}), caller {who}: {what}");
            broken.extend(exceeded(schedule, limit, &calls).map(of));
            broken.extend(miscounted(schedule, limit, &calls, findings, (at, who)).map(of));
        }
    }
    broken.extend(findings.unavailable.iter().map(|error| format!("still fails when all is quiet: {error}")));
    if findings.tasks > 0 || findings.connections > 0 {
        broken.push(format!("{} tasks and {} connections are left", findings.tasks, findings.connections));
    }
    broken
}

/// A call that took longer than its deadline and its wait. Until a process has asked for overrides, its calls ask before they
/// are decided, within a deadline of its own.
fn late<'r>(schedule: &'r Schedule, history: &'r [Record]) -> impl Iterator<Item = String> + 'r {
    let is_late = |record: &&Record| {
        let has_asked = |other: &Record| {
            other.number == record.number && other.ended <= record.sent && other.outcome != Outcome::Dropped
        };
        let asking = if history.iter().any(has_asked) { Duration::ZERO } else { schedule.deadline };
        record.took() > longest(schedule, &record.call) + asking + TIMER
    };
    history.iter().filter(is_late).map(|record| format!("late: {record}"))
}

/// The times at which keys may have been lost, or the server's clock has stepped, with the length of the step.
fn disturbances(schedule: &Schedule) -> impl Iterator<Item = (Duration, Duration)> + '_ {
    schedule.steps.iter().filter_map(|step| match step.event {
        Event::Fault(Fault::Restart { keeps_keys: false, .. }) => Some((step.at, Duration::ZERO)),
        Event::Fault(Fault::Clock { micros }) => {
            Some((step.at, Duration::from_micros(micros.unsigned_abs())))
        }
        _ => None,
    })
}

/// More was admitted in some interval than the algorithm permits.
fn exceeded(schedule: &Schedule, limit: &Limit, calls: &[&Record]) -> Option<String> {
    let admitted: Vec<&&Record> = calls.iter().filter(|record| record.outcome == Outcome::Admitted).collect();
    admitted.iter().find_map(|first| {
        let from = first.sent;
        let mut after: Vec<&&&Record> = admitted.iter().filter(|record| record.sent >= from).collect();
        after.sort_by_key(|record| record.ended);
        let mut units = 0;
        after.iter().find_map(|last| {
            // A refund gives units back, also if its reply was lost.
            let is_refunded = last.call.kind == (Kind::Charge { refunds: true });
            units += if is_refunded { 0 } else { u64::from(last.call.cost) };
            let (losses, stepped) = disturbances(schedule)
                .filter(|(at, _)| *at <= last.ended && *at + Duration::from_secs(3) >= from)
                .fold((0, Duration::ZERO), |(losses, stepped), (_, step)| (losses + 1, stepped + step));
            let most = bound(limit, last.ended.saturating_sub(from) + stepped).saturating_mul(losses + 1);
            (units > most).then(|| {
                let (from, to) = (from.as_micros(), last.ended.as_micros());
                format!("{units} units were admitted from {from} us to {to} us, and at most {most} may be")
            })
        })
    })
}

/// The most units that may be admitted in an interval, as `docs/algorithms.md` promises.
fn bound(limit: &Limit, interval: Duration) -> u64 {
    let (count, capacity) = (u64::from(limit.count()), u64::from(limit.capacity()));
    let (interval, time) = (interval.as_micros(), limit.time().as_micros());
    let started = u64::try_from(interval.div_ceil(time)).unwrap_or(u64::MAX);
    let refilled = u64::try_from(interval * u128::from(count) / time).unwrap_or(u64::MAX);
    match limit.algorithm() {
        Algorithm::Counter => count.saturating_mul(started.saturating_add(1)),
        Algorithm::SlidingWindow => (2 * count).saturating_mul(started.max(1)),
        Algorithm::SlidingLog => count.saturating_mul(started.max(1)),
        Algorithm::TokenBucket => capacity.saturating_add(refilled).saturating_add(1),
        Algorithm::LeakyBucket => capacity.saturating_add(refilled).saturating_add(2),
        _ => u64::MAX, // permits are given back
    }
}

/// The server has counted a call twice, or an admitted call not at all, or a permit is lost.
fn miscounted(
    schedule: &Schedule,
    limit: &Limit,
    calls: &[&Record],
    findings: &Findings,
    (at, who): (usize, u8),
) -> Option<String> {
    let seen = |all: &[(usize, u8, Result<ratelimit::Decision, ratelimit::Error>)]| {
        all.iter().find(|seen| (seen.0, seen.1) == (at, who)).map(|(_, _, seen)| match seen {
            Ok(decision) => {
                Ok(u64::from(decision.capacity() - decision.remaining().min(decision.capacity())))
            }
            Err(error) => Err(error.to_string()),
        })
    };
    if limit.algorithm() == Algorithm::Concurrency {
        return match seen(&findings.seen_later)? {
            Ok(0) => None,
            Ok(held) => Some(format!("{held} permits are lost")),
            Err(error) => Some(error),
        };
    }
    let used = match seen(&findings.seen)? {
        Ok(used) => used,
        Err(error) => return Some(error),
    };
    let is_short = limit.time() < schedule.length() * 50 + Duration::from_secs(3600);
    if is_short || disturbances(schedule).next().is_some() {
        return None; // units have come back meanwhile
    }
    let units = |records: &mut dyn Iterator<Item = &&Record>| -> u64 {
        records.map(|record| u64::from(record.call.cost)).sum()
    };
    let refunded: u64 = calls.iter().map(|record| u64::from(record.refunded)).sum();
    let admitted = units(&mut calls.iter().filter(|record| record.outcome == Outcome::Admitted));
    let unknown = units(&mut calls.iter().filter(|record| {
        let may_be_refunded = record.call.kind == (Kind::Charge { refunds: true }) && record.refunded == 0;
        may_be_refunded || matches!(record.outcome, Outcome::Unknown(_) | Outcome::Dropped)
    }));
    let is_leased = limit.largest_lease() > 0;
    let least = (admitted - refunded).saturating_sub(if is_leased { 0 } else { unknown });
    let most = admitted - refunded + unknown;
    if used < least && used < u64::from(limit.capacity()) {
        return Some(format!("{used} units are used, although {least} were admitted"));
    }
    // Units of a lease whose process was killed are lost until the window ends.
    (used > most && !is_leased).then(|| format!("{used} units are used, although at most {most} were sent"))
}
