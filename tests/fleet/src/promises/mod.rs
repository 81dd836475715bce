//! The promises: properties that every run must have.

mod admitted;
mod alone;
mod available;
mod blocked;
mod calendar;
mod counted;
mod kept;
mod order;
mod refused;
mod refusing;
mod returned;
mod steered;
mod troubles;

use crate::faults::ARRIVAL;
use crate::findings::{Findings, Window};
use crate::history::{Happened, Outcome, Record};
use crate::process::{longest, with_count};
use crate::schedule::{CALLERS, Change, Event, Fault, Hand, How, Kind, Schedule};
use ratelimit::{Decision, Error, Limit, OnError};
use std::time::Duration;

/// The tolerance for timers, because tokio's timers have a resolution of one millisecond.
const TIMER: Duration = Duration::from_millis(2);
/// The longest time after a freeze in which a process reads what has arrived, before it judges a deadline.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The calls of one caller of one limit.
struct Case<'r> {
    schedule: &'r Schedule,
    findings: &'r Findings,
    at: usize,
    who: u8,
    limit: &'r Limit,
    calls: Vec<&'r Record>,
}

/// Returns the promises that a run has broken.
pub(crate) fn broken(schedule: &Schedule, happened: &Happened, findings: &Findings) -> Vec<String> {
    let mut broken = Vec::new();
    broken.extend(late(schedule, &happened.calls));
    for (at, limit) in schedule.limits.iter().enumerate() {
        for who in 0..CALLERS {
            let calls = happened.calls.iter().filter(|record| record.concerns(at, who)).collect();
            let case = Case { schedule, findings, at, who, limit, calls };
            let promises = [
                admitted::broken(&case),
                refused::broken(&case),
                counted::broken(&case),
                order::broken(&case),
                blocked::broken(&case),
                calendar::broken(&case),
                kept::broken(&case),
                steered::broken(&case),
                returned::broken(&case),
                alone::broken(&case),
                refusing::broken(&case),
            ];
            let of = |what: String| format!("limit {at} ({limit}), caller {who}: {what}");
            broken.extend(promises.into_iter().flatten().map(of));
        }
    }
    broken.extend(available::broken(schedule, happened, findings));
    broken.extend(findings.misjudged.iter().map(|wrong| format!("not as defined: {wrong}")));
    broken.extend(left(findings));
    broken
}

/// Finds calls that took longer than their deadline and their wait.
fn late<'r>(schedule: &'r Schedule, calls: &'r [Record]) -> impl Iterator<Item = String> + 'r {
    let frozen = |record: &Record| {
        let times = schedule.faults().filter_map(|(at, fault)| match fault {
            Fault::Freeze(time) if at <= record.ended && at + ARRIVAL + time >= record.sent => {
                Some(time + LOOK_AGAIN + TIMER)
            }
            _ => None,
        });
        times.sum::<Duration>()
    };
    let is_late =
        move |record: &&Record| record.took() > longest(schedule, &record.call) + 2 * TIMER + frozen(record);
    calls.iter().filter(is_late).map(|record| format!("late: {record}"))
}

/// Reports tasks, connections and endless keys that remain after all processes have ended.
fn left(findings: &Findings) -> Option<String> {
    let Findings { tasks, connections, endless, .. } = findings;
    (tasks + connections + endless > 0).then(|| {
        format!("{tasks} tasks, {connections} connections and {endless} keys without an end are left")
    })
}

/// The time after which a request of this record can no longer be executed.
fn last_effect(record: &Record) -> Duration {
    let under_way = match record.outcome {
        Outcome::Unknown(_) | Outcome::Dropped => troubles::UNDER_WAY,
        _ => Duration::ZERO,
    };
    record.adjusting.map_or(record.ended, |(_, confirmed)| confirmed.max(record.ended)) + under_way
}

impl Case<'_> {
    fn is_concurrency(&self) -> bool {
        self.limit.is_concurrency()
    }

    /// The limit with the largest count that is in force at any time of the run.
    fn largest(&self) -> Limit {
        let counts = self.schedule.steps.iter().filter_map(|step| match step.event {
            Event::Change(Change {
                limit,
                how: How::Deploy(count) | How::Override(count) | How::Expiring(count, _),
                ..
            }) => (limit == self.at).then_some(count),
            _ => None,
        });
        counts.max().map_or(*self.limit, |count| with_count(self.limit, count.max(self.limit.count())))
    }

    /// Returns the first step of a block, and the last step, which is the longest. `None` if the limit has no blocks.
    fn steps(&self) -> Option<(Duration, Duration)> {
        self.limit.blocks().next().zip(self.limit.blocks().last())
    }

    /// Whether the failure policy may have decided the call, because a fault explains why the server has not.
    fn may_be_elsewhere(&self, record: &Record) -> bool {
        self.schedule.policy != OnError::Deny && self.schedule.explains_failure(record, self.findings)
    }

    /// The calls that a server has certainly decided, or that have no decision.
    fn certain(&self) -> impl Iterator<Item = &'_ Record> + Clone {
        self.calls.iter().copied().filter(|record| !self.may_be_elsewhere(record))
    }

    /// The operations by hand and the pauses, except penalties.
    fn steering(&self) -> impl Iterator<Item = &'_ Record> + Clone {
        self.calls.iter().copied().filter(|record| record.call.kind.steers())
    }

    /// Whether an operation may have steered the callers between two moments.
    fn is_steered(&self, from: Duration, to: Duration) -> bool {
        self.steering().any(|record| record.sent <= to && last_effect(record) >= from)
    }

    fn resets(&self) -> impl Iterator<Item = &'_ Record> + Clone {
        self.calls.iter().copied().filter(|record| record.call.kind == Kind::Hand(Hand::Reset))
    }

    fn has_pauses(&self) -> bool {
        self.calls.iter().any(|record| matches!(record.call.kind, Kind::Pausing { .. }))
    }

    fn is_leased(&self) -> bool {
        self.limit.largest_lease() > 0
    }

    /// The windows that servers have stored.
    fn windows(&self) -> &[Window] {
        let of_case = |(at, who, _): &&(usize, u8, _)| (*at, *who) == (self.at, self.who);
        self.findings.windows.iter().find(of_case).map_or(&[], |(_, _, windows)| windows)
    }

    /// Returns the used units that a new process has seen for this limit and caller, or the error of its request. `None` if it
    /// made no request.
    fn seen(&self, all: &[(usize, u8, Result<Decision, Error>)]) -> Option<Result<u64, String>> {
        let seen = all.iter().find(|(at, who, _)| (*at, *who) == (self.at, self.who));
        seen.map(|(_, _, seen)| match seen {
            Ok(decision) => {
                Ok(u64::from(decision.capacity() - decision.remaining().min(decision.capacity())))
            }
            Err(error) => Err(error.to_string()),
        })
    }
}
