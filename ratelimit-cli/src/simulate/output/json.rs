//! The numbers of a report as JSON. Times are in seconds.

use crate::simulate::engine::Outcome;
use crate::simulate::numbers::float;
use crate::simulate::report::{Report, letter};
use crate::simulate::time::SECOND;
use crate::simulate::traffic::Origin;
use serde_json::{Value, json};

pub(crate) fn as_json(report: &Report<'_>) -> Value {
    let traffic = report.traffic;
    let start = match traffic.origin {
        Origin::Zero => Value::Null,
        origin @ Origin::Log { .. } => origin.stamp(0).into(),
    };
    json!({
        "traffic": {
            "description": traffic.words,
            "calls": traffic.calls.len(),
            "callers": traffic.callers.len(),
            "start": start,
            "seconds": seconds(traffic.length),
        },
        "limits": report.outcomes.iter().enumerate().map(limit).collect::<Vec<_>>(),
        "comparison": report.comparison,
        "notes": report.notes,
    })
}

fn limit((at, outcome): (usize, &Outcome)) -> Value {
    let limit = &outcome.limit;
    json!({
        "letter": letter(at),
        "limit": limit.to_string(),
        "offered": outcome.offered,
        "admitted": outcome.admitted,
        "refused": outcome.refused,
        "never_passes": outcome.never,
        "waited": outcome.waited,
        "longest_wait_seconds": seconds(outcome.longest_wait),
        "callers_refused": outcome.callers_refused,
        "longest_refusal_streak": {
            "refusals": outcome.streak.refusals,
            "seconds": seconds(outcome.streak.length),
        },
        "worst_window": { "units": outcome.worst, "count": limit.count(), "seconds": limit.time().as_secs_f64() },
    })
}

fn seconds(micros: u64) -> f64 {
    float(micros) / float(SECOND)
}
