//! Logs that a limit refuses calls, at a bounded rate, so that a flood of refusals does not flood the log.

use super::limits;
use super::outcome::Outcome;
use crate::decision::Decision;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time between two log lines of one limit.
const BETWEEN: Duration = Duration::from_secs(10);

/// The refusals of one limit that are not logged yet.
#[derive(Default)]
pub(super) struct Refusals {
    unreported: AtomicU64,
    /// When the next line is due, in milliseconds from the first one of the process.
    due_ms: AtomicU64,
}

/// Counts a refusal. If a line is due, logs the number of refusals since the last line. Shadow limits are logged elsewhere.
#[cold]
pub(super) fn log(name: &str, outcome: Outcome, decision: &Decision) {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    if outcome == Outcome::ShadowLimited {
        return;
    }
    let now_ms = u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX);
    // Limits that share one counter also share its name.
    let limit = limits::named(name);
    if let Some(calls_since_last) = limit.refusals.due(now_ms) {
        tracing::info!(
            target: "ratelimit::refusals",
            limit = limit.name(),
            calls_since_last,
            retry_after = decision.retry_after().map(tracing::field::debug),
            "a limit refuses calls"
        );
    }
}

impl Refusals {
    /// Counts a refusal. If a line is due, returns the number of refusals since the last line, with this one.
    fn due(&self, now_ms: u64) -> Option<u64> {
        self.unreported.fetch_add(1, Ordering::Relaxed);
        let due_ms = self.due_ms.load(Ordering::Relaxed);
        let next_ms = now_ms + u64::try_from(BETWEEN.as_millis()).unwrap_or(u64::MAX);
        // Of several threads, one writes the line.
        let writes = now_ms >= due_ms
            && self.due_ms.compare_exchange(due_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        writes.then(|| self.unreported.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_makes_one_line_and_every_refusal_is_counted() {
        let refusals = Refusals::default();
        assert_eq!(refusals.due(5), Some(1));
        for _ in 0..1000 {
            assert_eq!(refusals.due(5 + 9_999), None);
        }
        assert_eq!(refusals.due(5 + 10_000), Some(1001));
        assert_eq!(refusals.due(5 + 10_001), None);
    }
}
