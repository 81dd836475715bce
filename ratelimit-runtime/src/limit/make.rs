//! The constructors of limits, for constants and for run time.

use super::rules::Violation;
use super::rules::numbers::Numbers;
use super::{Algorithm, Limit, LimitError, Refill};
use std::time::Duration;

impl Limit {
    /// At most `count` units in each window of `time`; see [`Algorithm::Counter`].
    ///
    /// # Panics
    ///
    /// If `time` is not a whole number of milliseconds from 1 ms to 366 days; in a `const` that is a compile
    /// error. [`Limit::try_counter`] returns the error instead.
    #[must_use]
    #[track_caller]
    pub const fn counter(count: u32, time: Duration) -> Self {
        must(Self::try_counter(count, time))
    }

    /// [`Limit::counter`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days.
    pub const fn try_counter(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::Counter, count, time)
    }

    /// A bucket that refills with `count` tokens per `time` and holds as many; see [`Algorithm::TokenBucket`].
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_token_bucket`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn token_bucket(count: u32, time: Duration) -> Self {
        must(Self::try_token_bucket(count, time))
    }

    /// [`Limit::token_bucket`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, `count` is above
    /// 2^25, or the rate cannot be kept exactly (`count` and `time` are both large and share no factor).
    pub const fn try_token_bucket(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::TokenBucket, count, time)
    }

    /// At most about `count` units in a window of `time` that slides; see [`Algorithm::SlidingWindow`].
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_sliding_window`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn sliding_window(count: u32, time: Duration) -> Self {
        must(Self::try_sliding_window(count, time))
    }

    /// [`Limit::sliding_window`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, `count` is above
    /// 33 554 431, or their product is too large to be counted exactly.
    pub const fn try_sliding_window(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::SlidingWindow, count, time)
    }

    /// At most `count` units in any interval of `time`; see [`Algorithm::SlidingLog`].
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_sliding_log`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn sliding_log(count: u32, time: Duration) -> Self {
        must(Self::try_sliding_log(count, time))
    }

    /// [`Limit::sliding_log`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, or `count` is above
    /// 10 000.
    pub const fn try_sliding_log(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::SlidingLog, count, time)
    }

    /// A bucket that leaks `count` units per `time`: a meter that holds `count`, or, with [`wait`](Self::wait), a
    /// queue; see [`Algorithm::LeakyBucket`].
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_leaky_bucket`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn leaky_bucket(count: u32, time: Duration) -> Self {
        must(Self::try_leaky_bucket(count, time))
    }

    /// [`Limit::leaky_bucket`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// As [`Limit::try_token_bucket`].
    pub const fn try_leaky_bucket(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::LeakyBucket, count, time)
    }

    /// At most `count` units held at once, in permits with a lease; see [`Algorithm::Concurrency`]. A permit whose
    /// holder is gone is free again after `lease`; one that is held is renewed all the time.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_concurrency`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn concurrency(count: u32, lease: Duration) -> Self {
        must(Self::try_concurrency(count, lease))
    }

    /// [`Limit::concurrency`] for numbers known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `lease` is not a whole number of milliseconds from 1 s to 366 days, or `count` is above
    /// 10 000.
    pub const fn try_concurrency(count: u32, lease: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::Concurrency, count, lease)
    }

    /// Sets the capacity of a bucket, in units; without it the capacity is `count`.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_burst`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn burst(self, burst: u32) -> Self {
        must(self.try_burst(burst))
    }

    /// [`Limit::burst`] for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is no bucket or a queue, `burst` is above 2^25, or refilling it would take more
    /// than 366 days.
    pub const fn try_burst(self, burst: u32) -> Result<Self, LimitError> {
        match self.numbers.algorithm.check_takes_burst(self.numbers.wait_ms > 0) {
            Ok(()) => Self::of(Numbers { burst, ..self.numbers }),
            Err(violation) => Err(LimitError::new(violation)),
        }
    }

    /// Sets how tokens come back to a token bucket.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_refill`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn refill(self, refill: Refill) -> Self {
        must(self.try_refill(refill))
    }

    /// [`Limit::refill`] for a value known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is no token bucket, or its numbers do not fit this refill.
    pub const fn try_refill(self, refill: Refill) -> Result<Self, LimitError> {
        match self.numbers.algorithm.check_takes_refill() {
            Ok(()) => Self::of(Numbers { refill, ..self.numbers }),
            Err(violation) => Err(LimitError::new(violation)),
        }
    }

    /// Lets the balance of a token bucket go so many tokens below zero: they are taken ahead of time, and those who
    /// come after wait until they have come back.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_borrow`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn borrow(self, borrow: u32) -> Self {
        must(self.try_borrow(borrow))
    }

    /// [`Limit::borrow`] for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is no token bucket, `burst` and `borrow` together are above 2^25, or it would
    /// take more than 366 days until all has come back.
    pub const fn try_borrow(self, borrow: u32) -> Result<Self, LimitError> {
        match self.numbers.algorithm.check_takes_borrow() {
            Ok(()) => Self::of(Numbers { borrow, ..self.numbers }),
            Err(violation) => Err(LimitError::new(violation)),
        }
    }

    /// Lets a call that cannot pass now wait for its turn, at most so long, instead of being refused; zero means not
    /// at all. It makes a queue of a leaky bucket.
    ///
    /// The attribute waits by itself, and of the methods of [`RateLimiter`](crate::RateLimiter) those that say so.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_wait`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn wait(self, wait: Duration) -> Self {
        must(self.try_wait(wait))
    }

    /// [`Limit::wait`] for a duration known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `wait` is not a whole number of milliseconds up to 366 days, more units could wait than can
    /// be counted, or the limit is a leaky bucket with a `burst` of its own.
    pub const fn try_wait(self, wait: Duration) -> Result<Self, LimitError> {
        match whole_ms(wait) {
            Some(wait_ms) => Self::of(Numbers { wait_ms, ..self.numbers }),
            None => Err(LimitError::new(Violation::WaitFraction)),
        }
    }

    const fn plain(algorithm: Algorithm, count: u32, time: Duration) -> Result<Self, LimitError> {
        match whole_ms(time) {
            Some(time_ms) => Self::of(Numbers::new(algorithm, count, time_ms)),
            None => Err(LimitError::new(Violation::TimeFraction)),
        }
    }

    pub(super) const fn of(numbers: Numbers) -> Result<Self, LimitError> {
        match numbers.check() {
            Ok(derived) => Ok(Self { numbers, derived }),
            Err(violation) => Err(LimitError::new(violation)),
        }
    }
}

/// Returns the milliseconds of a duration, at most `u64::MAX`. `None` if it has a fraction of a millisecond.
pub(super) const fn whole_ms(duration: Duration) -> Option<u64> {
    if !duration.subsec_nanos().is_multiple_of(1_000_000) {
        return None;
    }
    let seconds = duration.as_secs().saturating_mul(1000);
    Some(seconds.saturating_add(duration.subsec_millis() as u64))
}

#[expect(
    clippy::panic,
    reason = "documented: a compile error in a const, and each caller has a fallible twin"
)]
#[track_caller]
pub(super) const fn must(limit: Result<Limit, LimitError>) -> Limit {
    match limit {
        Ok(limit) => limit,
        Err(error) => panic!("{}", error.message()),
    }
}
