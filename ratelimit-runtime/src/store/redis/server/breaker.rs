//! When a server is tried again, and whether calls wait for that: one attempt at a time, less and less often.

use std::time::{Duration, Instant};

/// What is known of a server that cannot be reached. The clock and the dice are the caller's.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    failures: u32,
    next: Option<Instant>,
}

/// The bounds of the time from one attempt to the next. The server is found again within the longest.
const PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// So much shorter it may be by chance, lest all who have lost a server at once come back at once: as much as the shortest can
/// bear.
const SPREAD: Duration = Duration::from_millis(100);

/// Longest time for an attempt: while calls wait for it, which have deadlines of their own, and when none does.
const FIRST_ATTEMPT: Duration = Duration::from_secs(2);
const ATTEMPT: Duration = LONGEST_PAUSE;

impl Breaker {
    /// Whether calls wait for an attempt. After a failure they do not: they are told at once.
    pub(crate) fn lets_wait(&self) -> bool {
        self.failures == 0
    }

    /// Whether it is time for an attempt.
    pub(crate) fn lets_try(&self, now: Instant) -> bool {
        self.next.is_none_or(|next| next <= now)
    }

    /// How long an attempt may take.
    pub(crate) fn patience(&self) -> Duration {
        if self.lets_wait() { FIRST_ATTEMPT } else { ATTEMPT }
    }

    /// An attempt has failed that began then. The pause to the next one doubles up to the longest; `chance`, from 0 to
    /// 1000, makes it shorter.
    pub(crate) fn failed(&mut self, began: Instant, chance: u32) {
        let pause = PAUSE.saturating_mul(1 << self.failures.min(10)).min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        self.next = Some(began + pause.saturating_sub(SPREAD / 1000 * chance.min(1000)));
    }

    /// The server has fallen silent, or has become too slow: it may be tried at once, and nobody waits for that.
    pub(crate) fn fell_ill(&mut self) {
        self.failures = self.failures.max(1);
        self.next = None;
    }

    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn pauses_double_up_to_a_second() {
        for (chance, expected) in [
            (0, [200, 400, 800, 1000, 1000]),
            (1000, [100, 300, 700, 900, 900]),
            (500, [150, 350, 750, 950, 950]),
        ] {
            let (mut breaker, mut now) = (Breaker::default(), Instant::now());
            assert!(breaker.lets_try(now) && breaker.lets_wait());
            assert_eq!(breaker.patience(), FIRST_ATTEMPT);
            for pause in expected {
                breaker.failed(now, chance);
                assert!(!breaker.lets_wait());
                assert_eq!(breaker.patience(), ATTEMPT);
                assert!(!breaker.lets_try(now + (pause - 1) * MS), "{pause} {chance}");
                now += pause * MS;
                assert!(breaker.lets_try(now), "{pause} {chance}");
            }
            breaker.succeeded();
            assert!(breaker.lets_try(now) && breaker.lets_wait());
        }
    }

    #[test]
    fn an_ill_server_is_tried_at_once_and_nobody_waits() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        breaker.fell_ill();
        assert!(breaker.lets_try(now) && !breaker.lets_wait());
        breaker.failed(now, 0);
        assert!(!breaker.lets_try(now + 399 * MS) && breaker.lets_try(now + 400 * MS));
    }

    #[test]
    fn an_outage_of_15_seconds_takes_20_attempts_at_most() {
        for chance in 0..=1000 {
            let (mut breaker, start) = (Breaker::default(), Instant::now());
            let attempts = (0..15_000).filter(|ms| {
                let now = start + *ms * MS;
                let tries = breaker.lets_try(now);
                if tries {
                    breaker.failed(now, chance);
                }
                tries
            });
            let attempts = attempts.count();
            assert!((15..=20).contains(&attempts), "{attempts} at {chance}");
        }
    }
}
