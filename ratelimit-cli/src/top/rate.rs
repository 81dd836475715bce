//! The rate at which units are taken, from two readings of one key.

use crate::usage::Usage;
use ratelimit::{Algorithm, Limit};
use ratelimit_limit::State;
use std::time::{Duration, Instant};

/// One reading of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) at: Instant,
    pub(crate) usage: Usage,
}

/// A lower bound of the units per second that were taken between two readings. `None` if the readings are not sufficient.
pub(crate) fn rate(algorithm: Algorithm, before: &Reading, now: &Reading) -> Option<f64> {
    let time = now.at.saturating_duration_since(before.at);
    let (was, is) = (before.usage.used?, now.usage.used?);
    if time.is_zero() {
        return None;
    }
    let left = left_after(algorithm, now.usage.known.map(|known| known.limit), was, is, time);
    Some(f64::from(is.saturating_sub(left)) / time.as_secs_f64())
}

/// An upper bound of the units that were in use before and are still in use after a time.
fn left_after(algorithm: Algorithm, limit: Option<Limit>, was: u32, is: u32, time: Duration) -> u32 {
    match (algorithm.state(), limit) {
        // A new window has begun.
        (State::Counter, _) if is < was => 0,
        (State::Bucket, Some(limit)) if !limit.refills_by_interval() => {
            let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            let back = u64::from(limit.count()).saturating_mul(ms(time)) / ms(limit.time()).max(1);
            was.saturating_sub(u32::try_from(back).unwrap_or(u32::MAX))
        }
        (State::Counter | State::SlidingWindow | State::Bucket | State::Log | State::Permits, _) => was,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Known;
    use ratelimit::Decision;

    fn measured(limit: &str, readings: [u32; 2], seconds: u64) -> f64 {
        let limit: Limit = limit.parse().unwrap();
        let known = Known { limit, decision: Decision::allow(&limit, 0, Duration::ZERO) };
        let start = Instant::now();
        let [before, now] = readings.map(|used| Usage { used: Some(used), known: Some(known) });
        let before = Reading { at: start, usage: before };
        let now = Reading { at: start + Duration::from_secs(seconds), usage: now };
        rate(limit.algorithm(), &before, &now).unwrap()
    }

    #[test]
    fn a_rate_is_what_was_taken_at_least() {
        for (limit, readings, seconds, expected) in [
            ("counter count=100 time=1m", [10, 30], 10, 2.0),
            ("counter count=100 time=1m", [90, 20], 10, 2.0),
            ("token_bucket count=10 time=1s", [50, 50], 2, 10.0),
            ("token_bucket count=10 time=1s", [5, 5], 1, 5.0),
            ("token_bucket count=10 time=1s refill=interval", [5, 5], 1, 0.0),
            ("sliding_log count=10 time=1m", [5, 3], 1, 0.0),
        ] {
            let rate = measured(limit, readings, seconds);
            assert!((rate - expected).abs() < 1e-9, "{limit}: {rate}");
        }
    }
}
