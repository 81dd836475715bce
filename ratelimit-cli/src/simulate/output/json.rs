//! JSON: the numbers of a report. Times are in seconds.

use crate::simulate::numbers::float;
use crate::simulate::report::{Report, Trial};
use crate::simulate::shadow::Comparison;
use crate::simulate::time::SECOND;
use crate::simulate::traffic::Origin;
use serde_json::{Value, json};

pub(crate) fn json(report: &Report<'_>) -> String {
    let traffic = report.traffic;
    let start = match traffic.origin {
        Origin::Zero => Value::Null,
        origin @ Origin::Log { .. } => origin.stamp(0).into(),
    };
    let value = json!({
        "traffic": {
            "description": traffic.words,
            "calls": traffic.calls.len(),
            "callers": traffic.callers.count(),
            "start": start,
            "seconds": seconds(traffic.length),
        },
        "limits": report.trials.iter().map(limit).collect::<Vec<_>>(),
        "comparison": report.comparison.as_ref().map(comparison),
        "notes": report.notes,
    });
    format!("{value:#}\n")
}

fn limit(Trial { letter, limit, outcome }: &Trial) -> Value {
    json!({
        "letter": letter,
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

fn comparison(comparison: &Comparison) -> Value {
    let hit = comparison.hardest_hit.iter().map(|hit| {
        json!({
            "caller": hit.name,
            "offered": hit.offered,
            "refused_in_force": hit.refused_now,
            "refused_by_candidate": hit.refused_then,
        })
    });
    json!({
        "callers": comparison.callers,
        "callers_refused_in_force": comparison.refused_now,
        "callers_refused_by_candidate": comparison.refused_then,
        "callers_newly_refused": comparison.newly_refused,
        "callers_with_more_refused_calls": comparison.hit,
        "calls": comparison.calls,
        "calls_refused_in_force": comparison.calls_now,
        "calls_refused_by_candidate": comparison.calls_then,
        "callers_are_hashed": comparison.is_hashed,
        "hardest_hit": hit.collect::<Vec<_>>(),
    })
}

fn seconds(micros: u64) -> f64 {
    float(micros) / float(SECOND)
}
