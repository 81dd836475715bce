//! The constructors of limits. Each kind of limit has one for constants and one for numbers known only at run time.

use super::rules::numbers::Numbers;
use super::rules::violation::ZERO_COUNT;
use super::{Algorithm, Calendar, Limit, LimitError};
use std::time::Duration;

impl Limit {
    /// At most `count` units in each window of `time`; see [`Algorithm::Counter`].
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if `time` is not a whole number of milliseconds from 1 ms to 366 days. In a `const` that is a
    /// compile error. [`Limit::try_counter`] returns the error instead, and takes a `count` of zero.
    #[track_caller]
    pub const fn counter(count: u32, time: Duration) -> Self {
        must_admit(Self::try_counter(count, time))
    }

    /// Like [`Limit::counter`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days.
    pub const fn try_counter(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::Counter, count, time)
    }

    /// At most `count` units in each hour, day, week or month of the calendar, in UTC or in a [`zone`](Limit::zone). The window
    /// ends for all callers at the same time, by the clock of the store's server.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// # mod per { pub use ratelimit_limit::Calendar; }
    /// use ratelimit::Limit;
    ///
    /// const QUOTA: Limit = Limit::calendar(10_000, per::Calendar::Month).zone("+01:00");
    /// assert_eq!(QUOTA.to_string(), "counter count=10000 time=month zone=+01:00");
    /// ```
    ///
    /// # Panics
    ///
    /// If `count` is zero. In a `const` that is a compile error.
    #[track_caller]
    pub const fn calendar(count: u32, window: Calendar) -> Self {
        must_admit(Self::try_calendar(count, window))
    }

    /// Like [`Limit::calendar`], for a number known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// None so far. It returns a `Result` because the other `try_` constructors do.
    pub const fn try_calendar(count: u32, window: Calendar) -> Result<Self, LimitError> {
        let plain = Numbers::new(Algorithm::Counter, count, window.longest_ms());
        Self::of(Numbers { calendar: Some(window), ..plain })
    }

    /// A bucket that refills with `count` tokens per `time` and holds `count` tokens; see [`Algorithm::TokenBucket`].
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if [`Limit::try_token_bucket`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn token_bucket(count: u32, time: Duration) -> Self {
        must_admit(Self::try_token_bucket(count, time))
    }

    /// Like [`Limit::token_bucket`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, `count` is above
    /// 2^25, or the rate cannot be computed exactly (`count` and `time` are both large and have no common factor).
    pub const fn try_token_bucket(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::TokenBucket, count, time)
    }

    /// About `count` units in a sliding window of `time`; see [`Algorithm::SlidingWindow`].
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if [`Limit::try_sliding_window`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn sliding_window(count: u32, time: Duration) -> Self {
        must_admit(Self::try_sliding_window(count, time))
    }

    /// Like [`Limit::sliding_window`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, `count` is above
    /// 33 554 431, or their product is too large for exact arithmetic.
    pub const fn try_sliding_window(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::SlidingWindow, count, time)
    }

    /// At most `count` units in any interval of `time`; see [`Algorithm::SlidingLog`].
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if [`Limit::try_sliding_log`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn sliding_log(count: u32, time: Duration) -> Self {
        must_admit(Self::try_sliding_log(count, time))
    }

    /// Like [`Limit::sliding_log`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `time` is not a whole number of milliseconds from 1 ms to 366 days, or `count` is above
    /// 10 000.
    pub const fn try_sliding_log(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::SlidingLog, count, time)
    }

    /// A bucket that leaks `count` units per `time` and holds `count` units. With a [`wait`](Self::wait), it is a queue instead;
    /// see [`Algorithm::LeakyBucket`].
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if [`Limit::try_leaky_bucket`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn leaky_bucket(count: u32, time: Duration) -> Self {
        must_admit(Self::try_leaky_bucket(count, time))
    }

    /// Like [`Limit::leaky_bucket`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// The same errors as [`Limit::try_token_bucket`].
    pub const fn try_leaky_bucket(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::LeakyBucket, count, time)
    }

    /// At most `count` permits at a time; see [`Algorithm::Concurrency`]. The runtime renews a permit while it is held. The
    /// permits of a process that has died are free again after `lease`.
    ///
    /// # Panics
    ///
    /// If `count` is zero, or if [`Limit::try_concurrency`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn concurrency(count: u32, lease: Duration) -> Self {
        must_admit(Self::try_concurrency(count, lease))
    }

    /// Like [`Limit::concurrency`], for numbers known only at run time. A `count` of zero refuses every call.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `lease` is not a whole number of milliseconds from 1 s to 366 days, or `count` is above
    /// 10 000.
    pub const fn try_concurrency(count: u32, lease: Duration) -> Result<Self, LimitError> {
        Self::plain(Algorithm::Concurrency, count, lease)
    }

    /// A limit without any of the optional numbers.
    #[doc(hidden)]
    pub const fn plain(algorithm: Algorithm, count: u32, time: Duration) -> Result<Self, LimitError> {
        match whole_ms(time) {
            Some(time_ms) => Self::of(Numbers::new(algorithm, count, time_ms)),
            None => Err(LimitError::TIME_FRACTION),
        }
    }
}

/// At most `u64::MAX`. `None` if the duration has a fraction of a millisecond.
pub(super) const fn whole_ms(duration: Duration) -> Option<u64> {
    if !duration.subsec_nanos().is_multiple_of(1_000_000) {
        return None;
    }
    let seconds = duration.as_secs().saturating_mul(1000);
    Some(seconds.saturating_add(duration.subsec_millis() as u64))
}

/// Unwraps the limit of a constructor whose numbers are written in the code. Panics for a `count` of zero, because nobody writes
/// a limit in the code to refuse every call.
#[track_caller]
const fn must_admit(limit: Result<Limit, LimitError>) -> Limit {
    let limit = must(limit);
    assert!(limit.count() > 0, "{}", ZERO_COUNT);
    limit
}

#[expect(
    clippy::panic,
    reason = "documented: a compile error in a const, and each caller has a fallible variant"
)]
#[track_caller]
pub(super) const fn must(limit: Result<Limit, LimitError>) -> Limit {
    match limit {
        Ok(limit) => limit,
        Err(error) => panic!("{}", error.message()),
    }
}
