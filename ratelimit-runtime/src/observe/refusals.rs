//! Logs that a limit refuses calls, at a bounded rate.

use super::outcome::Outcome;
use super::registry;
use crate::decision::Decision;
use std::time::Duration;

/// The time between two log lines of one limit.
const BETWEEN: Duration = Duration::from_secs(10);

/// Counts a refusal. If a line is due, logs the number of refusals since the last line. Shadow limits are logged elsewhere.
#[cold]
pub(super) fn log(name: &str, outcome: Outcome, decision: &Decision) {
    if outcome == Outcome::ShadowLimited {
        return;
    }
    // Limits that share one counter also share its name.
    let entry = registry::named(name);
    if let Some(calls_since_last) = entry.refusals.due(BETWEEN) {
        tracing::info!(
            target: "ratelimit::refusals",
            limit = entry.name(),
            calls_since_last,
            retry_after = decision.retry_after().map(tracing::field::debug),
            "a limit refuses calls"
        );
    }
}
