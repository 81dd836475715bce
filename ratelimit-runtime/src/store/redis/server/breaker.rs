//! The circuit breaker: when a server is tried again, and whether calls wait for the attempt.

use crate::random;
use std::time::Duration;
use tokio::time::Instant;

/// Counts failed attempts, and computes the time of the next attempt. The caller provides the current time and a random number.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    next: Option<Instant>,
}

/// The first and the longest backoff. A backoff is the time between the starts of two attempts, before [`JITTER`] shortens it.
const SHORTEST_BACKOFF: Duration = Duration::from_millis(200);
const LONGEST_BACKOFF: Duration = Duration::from_millis(750);
/// The maximum jitter. A random part of it shortens the backoff, so that clients that lost the server together do not reconnect
/// together.
const JITTER: Duration = Duration::from_millis(100);

/// The maximum duration of an attempt for which calls wait. The calls also have their own deadlines.
const FIRST_ATTEMPT: Duration = Duration::from_secs(2);
/// The maximum duration of any other attempt.
const LATER_ATTEMPT: Duration = LONGEST_BACKOFF;

impl Breaker {
    /// Returns whether the breaker is closed: calls wait for an attempt. While it is open, calls fail at once.
    pub(super) fn is_closed(&self) -> bool {
        self.failures == 0
    }

    /// Returns whether it is time for an attempt.
    pub(super) fn allows_attempt(&self, now: Instant) -> bool {
        self.pause(now).is_zero()
    }

    /// Returns the time until an attempt is allowed.
    pub(super) fn pause(&self, now: Instant) -> Duration {
        self.next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now))
    }

    /// Returns the maximum duration of the next attempt.
    pub(super) fn attempt_timeout(&self) -> Duration {
        if self.is_closed() { FIRST_ATTEMPT } else { LATER_ATTEMPT }
    }

    /// Notes that the attempt that began at `began` has failed. The backoff doubles up to its maximum. `jitter`, from 0 to
    /// 1000, shortens it.
    pub(super) fn failed(&mut self, began: Instant, jitter: u32) {
        let backoff = SHORTEST_BACKOFF.saturating_mul(1 << self.failures.min(10)).min(LONGEST_BACKOFF);
        self.failures = self.failures.saturating_add(1);
        self.next = Some(began + backoff.saturating_sub(JITTER / 1000 * jitter.min(1000)));
    }

    /// Opens the breaker because the server is too slow. An attempt is allowed at once. No call waits for this attempt.
    pub(super) fn trip(&mut self) {
        self.failures = self.failures.max(1);
        self.next = None;
    }
}

/// Returns a random number from 0 to 1000.
pub(super) fn random_jitter() -> u32 {
    let [a, b, ..] = random::bits().to_le_bytes();
    u32::from(u16::from_le_bytes([a, b])) % 1001
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_backoff_doubles_up_to_750_ms() {
        for (jitter, expected) in
            [(0, [200, 400, 750, 750]), (1000, [100, 300, 650, 650]), (500, [150, 350, 700, 700])]
        {
            let (mut breaker, mut now) = (Breaker::default(), Instant::now());
            assert!(breaker.allows_attempt(now) && breaker.is_closed());
            assert_eq!(breaker.attempt_timeout(), FIRST_ATTEMPT);
            for backoff in expected {
                breaker.failed(now, jitter);
                assert!(!breaker.is_closed());
                assert_eq!(breaker.attempt_timeout(), LATER_ATTEMPT);
                assert!(!breaker.allows_attempt(now + (backoff - 1) * MS), "{backoff} {jitter}");
                now += backoff * MS;
                assert!(breaker.allows_attempt(now), "{backoff} {jitter}");
            }
        }
    }

    #[test]
    fn a_slow_server_is_tried_at_once_and_no_call_waits() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        breaker.trip();
        assert!(breaker.allows_attempt(now) && !breaker.is_closed());
        breaker.failed(now, 0);
        assert!(!breaker.allows_attempt(now + 399 * MS) && breaker.allows_attempt(now + 400 * MS));
    }

    #[test]
    fn an_outage_of_15_seconds_takes_at_most_25_attempts() {
        for jitter in 0..=1000 {
            let (mut breaker, start) = (Breaker::default(), Instant::now());
            let attempts = (0..15_000).filter(|ms| {
                let now = start + *ms * MS;
                let attempts = breaker.allows_attempt(now);
                if attempts {
                    breaker.failed(now, jitter);
                }
                attempts
            });
            let attempts = attempts.count();
            assert!((20..=25).contains(&attempts), "{attempts} at {jitter}");
        }
    }
}
