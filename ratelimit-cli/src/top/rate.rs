//! The rate at which units are taken, from two readings of one key.

use crate::limits::Limits;
use crate::session::Session;
use crate::usage::{self, Known, Usage};
use ratelimit::store::StoredKey;
use ratelimit::{Algorithm, Error};
use ratelimit_limit::State;
use std::time::{Duration, Instant};

/// One reading of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The time before the server was asked, and the time after its reply.
    pub(crate) sent: Instant,
    pub(crate) at: Instant,
    pub(crate) usage: Usage,
    /// The units in use, also above the capacity. `None` while a block or a pause refuses calls, or if they are unknown.
    pub(crate) level: Option<u32>,
}

/// The rounding of times.
const ROUNDING: Duration = Duration::from_millis(10);

impl Reading {
    /// Reads keys. `None` for a key that holds a value of another program.
    pub(crate) async fn all(
        session: &Session,
        limits: &Limits,
        keys: &[(StoredKey, Vec<u8>)],
    ) -> Result<Vec<Option<Self>>, Error> {
        let sent = Instant::now();
        let usages = usage::read(session, limits, keys).await?;
        let levels = usage::levels(session, keys, &usages).await?;
        let at = Instant::now();
        let readings = usages.into_iter().zip(levels);
        Ok(readings.map(|(usage, level)| usage.map(|usage| Self { sent, at, usage, level })).collect())
    }

    /// A lower bound of the units per second that were taken since an earlier reading. `None` if the units are unknown. Zero if
    /// one of the readings does not tell what was taken: nobody makes the refill of a blocked bucket.
    pub(crate) fn rate_since(&self, before: &Self, algorithm: Algorithm) -> Option<f64> {
        let time = self.at.saturating_duration_since(before.at);
        let _ = before.usage.used.and(self.usage.used).filter(|_| !time.is_zero())?;
        let (Some(was), Some(is)) = (before.level, self.level) else { return Some(0.0) };
        let left = match (self.usage.known, before.usage.known) {
            (Some(known), Some(earlier)) if known.limit == earlier.limit => {
                self.left_of(was, before, &known, &earlier)
            }
            (None, None) if algorithm.state() != State::Bucket => was,
            // The limit has changed.
            _ => return Some(0.0),
        };
        Some(f64::from(is.saturating_sub(left)) / time.as_secs_f64())
    }

    /// An upper bound of the units that were in use before and are still in use.
    fn left_of(&self, was: u32, before: &Self, known: &Known, earlier: &Known) -> u32 {
        match known.limit.algorithm().state() {
            // A new window has begun if it ends later than the window before, whenever the server has read its clock.
            State::Counter => {
                let ends = self.sent.checked_add(known.decision.reset_after());
                let ended = before.at.checked_add(earlier.decision.reset_after() + ROUNDING);
                if ends > ended { 0 } else { was }
            }
            State::Bucket if !known.limit.refills_by_interval() => {
                let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let time = self.sent.saturating_duration_since(before.at);
                let back =
                    u64::from(known.limit.count()).saturating_mul(ms(time)) / ms(known.limit.time()).max(1);
                was.saturating_sub(u32::try_from(back).unwrap_or(u32::MAX))
            }
            State::SlidingWindow | State::Bucket | State::Log | State::Permits => was,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratelimit::{Decision, Limit};

    /// A reading of a key that was asked after `at` seconds: the units in use, and the seconds until none is in use.
    fn reading(limit: &Limit, [at, level, reset]: [u32; 3]) -> Reading {
        let (seconds, capacity) = (|seconds: u32| Duration::from_secs(seconds.into()), limit.capacity());
        let decision = match capacity.checked_sub(level).filter(|remaining| *remaining > 0) {
            Some(remaining) => Decision::allow(limit, remaining, seconds(reset)),
            None => Decision::refuse(limit, 0, Some(seconds(reset)), seconds(reset)),
        };
        let usage = Usage { used: Some(level.min(capacity)), known: Some(Known { limit: *limit, decision }) };
        let at = START.with(|start| *start) + seconds(at);
        Reading { sent: at, at, usage, level: Some(level) }
    }

    thread_local!(static START: Instant = Instant::now());

    fn is_close(rate: Option<f64>, expected: f64) -> bool {
        rate.is_some_and(|rate| (rate - expected).abs() < 1e-9)
    }

    #[test]
    fn a_rate_is_what_was_taken_at_least() {
        for (limit, before, now, expected) in [
            ("counter count=100 time=1m", [0, 10, 50], [10, 30, 40], 2.0),
            ("counter count=100 time=1m", [0, 90, 5], [10, 20, 55], 2.0),
            ("counter count=100 time=1m", [0, 90, 5], [10, 95, 55], 9.5),
            // Units were returned in the same window, for example by a settlement.
            ("counter count=100 time=1m", [0, 90, 50], [10, 89, 40], 0.0),
            ("token_bucket count=10 time=1s burst=100", [0, 50, 5], [2, 50, 5], 10.0),
            ("token_bucket count=10 time=1s", [0, 5, 1], [1, 5, 1], 5.0),
            // A debt above the capacity: the bucket was used up in both readings.
            ("token_bucket count=10 time=1s", [0, 100, 10], [2, 80, 8], 0.0),
            ("leaky_bucket count=10 time=1s", [0, 100, 10], [2, 85, 9], 2.5),
            ("token_bucket count=10 time=1s refill=interval", [0, 5, 1], [1, 5, 1], 0.0),
            ("sliding_log count=10 time=1m", [0, 5, 60], [1, 3, 60], 0.0),
        ] {
            let parsed: Limit = limit.parse().unwrap();
            let rate = reading(&parsed, now).rate_since(&reading(&parsed, before), parsed.algorithm());
            assert!(is_close(rate, expected), "{limit} {now:?}: {rate:?}");
        }
    }

    #[test]
    fn nobody_makes_the_refill_of_a_blocked_key() {
        let limit: Limit = "token_bucket count=10 time=1s".parse().unwrap();
        let blocked = |at| Reading { level: None, ..reading(&limit, [at, 10, 3600]) };
        let free = |at| reading(&limit, [at, 3, 1]);
        for (before, now) in [(blocked(0), blocked(1)), (free(0), blocked(1)), (blocked(0), free(1))] {
            assert!(is_close(now.rate_since(&before, limit.algorithm()), 0.0), "{now:?}");
        }
        let other: Limit = "token_bucket count=9 time=1s".parse().unwrap();
        let rate = free(1).rate_since(&reading(&other, [0, 1, 1]), limit.algorithm());
        assert!(is_close(rate, 0.0), "the limit has changed");
        let unknown = Reading { usage: Usage::UNKNOWN, level: None, ..free(1) };
        assert_eq!(unknown.rate_since(&free(0), limit.algorithm()), None);
    }

    #[test]
    fn a_slow_reply_is_no_traffic() {
        let limit: Limit = "token_bucket count=10 time=1s burst=100".parse().unwrap();
        let before = reading(&limit, [0, 50, 5]);
        // The server replied to this question at once, but the reply took five seconds.
        let now = Reading { at: before.at + Duration::from_secs(6), ..reading(&limit, [1, 40, 4]) };
        assert!(is_close(now.rate_since(&before, limit.algorithm()), 0.0));
    }
}
