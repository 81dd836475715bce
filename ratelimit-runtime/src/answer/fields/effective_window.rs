//! The effective window: the time within which a client can use no more than the units that are left.

use crate::answer::recorded::RecordedDecision;
use crate::rejection::whole_seconds;

/// Returns the effective window in seconds, at least 1. `None` for permits, which come back when their holders have finished,
/// and for calls that never pass.
///
/// - A refused call: the wait, as in `Retry-After`.
/// - An admitted call: the time until nothing is in use, but at least the time in which the limit earns the units that are left,
///   except with a window of the calendar.
///   A bucket with 99 of 100 units is full again soon, but a client that used 99 units in each such time would be far above the
///   rate.
pub(super) fn effective_window(recorded: &RecordedDecision) -> Option<u64> {
    let (limit, decision) = (recorded.limit(), recorded.decision());
    if limit.is_concurrency() {
        return None;
    }
    if !decision.is_allowed() {
        return decision.retry_after().map(whole_seconds);
    }
    let until_reset = whole_seconds(decision.reset_after());
    // The next window of the calendar begins for all clients at once, and earns nothing before that.
    let has_date = limit.window().is_some() && until_reset > 0;
    Some(if has_date { until_reset } else { until_reset.max(earned_in(recorded)) })
}

/// The time in which the limit earns the units that are left, in whole seconds, rounded up.
fn earned_in(recorded: &RecordedDecision) -> u64 {
    let (limit, remaining) = (recorded.limit(), recorded.decision().remaining());
    let ms = u128::from(remaining) * u128::from(limit.time_ms());
    let seconds = ms.div_ceil(u128::from(limit.count().max(1)) * 1000);
    u64::try_from(seconds).unwrap_or(u64::MAX)
}
