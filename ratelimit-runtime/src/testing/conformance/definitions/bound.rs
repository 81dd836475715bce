//! The bound of each algorithm, as `docs/algorithms.md` promises it.

use crate::limit::{Algorithm, Calendar, Limit, State};
use std::time::Duration;

const SHORTEST_MONTH: Duration = Duration::from_secs(28 * 86_400);

/// Returns the maximum number of units that a limit may admit in any half-open interval of this length, in all processes
/// together.
pub fn bound(limit: &Limit, interval: Duration) -> u64 {
    let (count, capacity) = (u64::from(limit.count()), u64::from(limit.capacity()));
    let time = if limit.calendar_window() == Some(Calendar::Month) { SHORTEST_MONTH } else { limit.time() };
    let (interval, time) = (interval.as_micros(), time.as_micros());
    let started = u64::try_from(interval.div_ceil(time)).unwrap_or(u64::MAX);
    let refilled = u64::try_from(interval * u128::from(count) / time).unwrap_or(u64::MAX);
    match limit.state() {
        State::Counter => count.saturating_mul(started.saturating_add(1)),
        State::SlidingWindow => (2 * count - 1).saturating_mul(started.max(1)),
        State::Log => count.saturating_mul(started.max(1)),
        State::Bucket if limit.refills_by_interval() => {
            let step = if limit.longest_wait().is_zero() { count.min(capacity) } else { count };
            capacity.saturating_add(step.saturating_mul(started))
        }
        State::Bucket => {
            let rounding = if limit.algorithm() == Algorithm::LeakyBucket { 2 } else { 1 };
            capacity.saturating_add(refilled).saturating_add(rounding)
        }
        // A permit that ends sooner makes room for another one.
        State::Permits => u64::MAX,
    }
}
