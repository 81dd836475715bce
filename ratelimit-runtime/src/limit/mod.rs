//! What a limit is: its algorithm and its numbers, checked once, when it is made.

mod algorithm;
mod error;

pub use algorithm::{Algorithm, Refill};
pub use error::LimitError;

use std::time::Duration;

/// The longest `time`, and the longest time that a bucket may take to refill.
pub(crate) const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// A bucket's `count` and `burst` share one integer with its clock: 2^26 units at most.
pub(crate) const MAX_BUCKET: u32 = 1 << 26;

/// A rule: how many units may pass in how much time, and how they are counted.
///
/// A `Limit` is valid by construction. In a `const` a wrong number is a compile error; for numbers that are known
/// only at run time there is a `try_` twin of each constructor.
///
/// ```
/// use ratelimit::{Limit, Refill};
/// use std::time::Duration;
///
/// const LOGIN: Limit = Limit::counter(5, Duration::from_secs(60));
/// const REPORTS: Limit = Limit::token_bucket(20, Duration::from_secs(3600)).burst(5).refill(Refill::Interval);
///
/// # fn main() -> Result<(), ratelimit::LimitError> {
/// let from_configuration = 7;
/// let limit = Limit::try_counter(from_configuration, Duration::from_secs(1))?;
/// assert!(Limit::try_counter(5, Duration::ZERO).is_err());
/// # let _ = (LOGIN, REPORTS, limit);
/// # Ok(()) }
/// ```
///
/// A `count` or `burst` of zero is allowed here, since it may come from a configuration: it refuses everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    algorithm: Algorithm,
    refill: Refill,
    count: u32,
    burst: u32,
    time_ms: u64,
    /// `count` per `time_ms` in lowest terms where tokens come back continuously, else as given.
    rate: Rate,
}

/// So many tokens come back in so many milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rate {
    pub(crate) tokens: u32,
    pub(crate) period_ms: u64,
}

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
        Self::check(Algorithm::Counter, Refill::Greedy, count, count, time)
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
    /// 2^26, or the rate cannot be kept exactly (`count` and `time` are both large and share no factor).
    pub const fn try_token_bucket(count: u32, time: Duration) -> Result<Self, LimitError> {
        Self::check(Algorithm::TokenBucket, Refill::Greedy, count, count, time)
    }

    /// Sets the capacity of a bucket, in tokens; without it the capacity is `count`.
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
    /// [`LimitError`], if the limit is no bucket, `burst` is above 2^26, or refilling it would take more than
    /// 366 days.
    pub const fn try_burst(self, burst: u32) -> Result<Self, LimitError> {
        if !matches!(self.algorithm, Algorithm::TokenBucket) {
            return Err(LimitError::BurstWithoutBucket);
        }
        Self::check(self.algorithm, self.refill, self.count, burst, self.time())
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
        if !matches!(self.algorithm, Algorithm::TokenBucket) {
            return Err(LimitError::RefillWithoutBucket);
        }
        Self::check(self.algorithm, refill, self.count, self.burst, self.time())
    }

    /// How this limit counts.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Units per [`time`](Self::time).
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The window of a counter, or the time in which a bucket gets `count` tokens.
    #[must_use]
    pub const fn time(&self) -> Duration {
        Duration::from_millis(self.time_ms)
    }

    /// The most units that this limit can hold at once: the burst of a bucket, the count of a counter.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        self.burst
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.rate
    }

    pub(crate) const fn refills_by_interval(&self) -> bool {
        matches!(self.refill, Refill::Interval)
    }

    /// Nothing can pass, whatever the state.
    pub(crate) const fn refuses_all(&self) -> bool {
        self.count == 0 || self.burst == 0
    }

    /// The algorithm and the version of its state format, the last part of a key: a new format starts fresh
    /// instead of misreading the old one.
    pub(crate) const fn form(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Counter => "c1",
            Algorithm::TokenBucket => "tb1",
        }
    }

    const fn check(
        algorithm: Algorithm,
        refill: Refill,
        count: u32,
        burst: u32,
        time: Duration,
    ) -> Result<Self, LimitError> {
        if !time.subsec_nanos().is_multiple_of(1_000_000) {
            return Err(LimitError::TimeFraction);
        }
        if time.is_zero() {
            return Err(LimitError::TimeZero);
        }
        if time.as_secs() > MAX_TIME_MS / 1000 || time.as_millis() > MAX_TIME_MS as u128 {
            return Err(LimitError::TimeTooLong);
        }
        let time_ms = time.as_secs() * 1000 + time.subsec_millis() as u64;
        let rate = match (algorithm, refill) {
            (Algorithm::TokenBucket, Refill::Greedy) if count > 0 => Rate::lowest_terms(count, time_ms),
            _ => Rate { tokens: count, period_ms: time_ms },
        };
        if matches!(algorithm, Algorithm::TokenBucket)
            && count > 0
            && let Err(error) = check_bucket(rate, refill, count, burst)
        {
            return Err(error);
        }
        Ok(Self { algorithm, refill, count, burst, time_ms, rate })
    }
}

/// The bounds under which a bucket's state stays below 2^53, where Lua's numbers are exact.
const fn check_bucket(rate: Rate, refill: Refill, count: u32, burst: u32) -> Result<(), LimitError> {
    if count > MAX_BUCKET || burst > MAX_BUCKET {
        return Err(LimitError::BucketTooLarge);
    }
    let refill_ms = burst as u128 * rate.period_ms as u128 / rate.tokens as u128;
    if refill_ms > MAX_TIME_MS as u128 {
        return Err(LimitError::RefillTooSlow);
    }
    let ticks = match refill {
        Refill::Greedy => rate.period_ms,
        Refill::Interval => 1,
    };
    if (3 * burst as u128 + rate.tokens as u128) * ticks as u128 >= 1 << 53 {
        return Err(LimitError::NotExact);
    }
    Ok(())
}

impl Rate {
    #[expect(clippy::cast_possible_truncation, reason = "a divisor of a u32 fits one")]
    const fn lowest_terms(tokens: u32, period_ms: u64) -> Self {
        let (mut divisor, mut rest) = (period_ms, tokens as u64);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { tokens: tokens / divisor as u32, period_ms: period_ms / divisor }
    }
}

#[expect(
    clippy::panic,
    reason = "documented: a compile error in a const, and each caller has a fallible twin"
)]
#[track_caller]
const fn must(limit: Result<Limit, LimitError>) -> Limit {
    match limit {
        Ok(limit) => limit,
        Err(error) => panic!("{}", error.message()),
    }
}
