//! The optional numbers of a limit: burst, refill, borrow, wait and block.

use super::constructors::{must, whole_ms};
use super::rules::block::Block;
use super::rules::numbers::Numbers;
use super::rules::violation::ZERO_BURST;
use super::{Limit, LimitError, Refill, Window, Zone};
use std::time::Duration;

impl Limit {
    /// Sets the capacity of a bucket, in units; without it the capacity is `count`.
    ///
    /// # Panics
    ///
    /// If `burst` is zero, or if [`Limit::try_burst`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn burst(self, burst: u32) -> Self {
        assert!(burst > 0, "{}", ZERO_BURST);
        must(self.try_burst(burst))
    }

    /// [`Limit::burst`] for a number known only at run time. It may be zero.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a bucket or is a queue, `burst` is above 2^25, or the bucket would take more than 366 days
    /// to refill.
    pub const fn try_burst(self, burst: u32) -> Result<Self, LimitError> {
        let takes_burst = self.numbers.algorithm.check_takes_burst(self.numbers.wait_ms > 0);
        Self::if_taken(takes_burst, Numbers { burst, ..self.numbers })
    }

    /// Sets the zone of a window of the calendar: an offset from UTC, from `-23:59` to `+23:59`. Without it, the zone is UTC.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_zone`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn zone(self, offset: &str) -> Self {
        must(self.try_zone(offset))
    }

    /// [`Limit::zone`] for a text known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit has no window of the calendar, or if the text is not such an offset. Zones with a name are not
    /// supported: their rules change, and all processes and the server would have to know the same ones.
    pub const fn try_zone(self, offset: &str) -> Result<Self, LimitError> {
        match (self.numbers.calendar, Zone::parse(offset)) {
            (None, _) => Err(LimitError::ZONE_WITHOUT_CALENDAR),
            (_, None) => Err(LimitError::ZONE_UNKNOWN),
            (Some(window), Some(zone)) => Self::of(self.numbers.with_calendar(Window { zone, ..window })),
        }
    }

    /// Sets how tokens come back to a token bucket.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_refill`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn refill(self, refill: Refill) -> Self {
        must(self.try_refill(refill))
    }

    /// [`Limit::refill`] for a value known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a token bucket, or its numbers do not fit this refill.
    pub const fn try_refill(self, refill: Refill) -> Result<Self, LimitError> {
        Self::if_taken(self.numbers.algorithm.check_takes_refill(), Numbers { refill, ..self.numbers })
    }

    /// Lets the balance of a token bucket go below zero by this number of tokens. Later calls are refused until the balance is above
    /// zero again.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_borrow`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn borrow(self, borrow: u32) -> Self {
        must(self.try_borrow(borrow))
    }

    /// [`Limit::borrow`] for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a token bucket, `burst` and `borrow` together are above 2^25, or the bucket would take more
    /// than 366 days to refill.
    pub const fn try_borrow(self, borrow: u32) -> Result<Self, LimitError> {
        Self::if_taken(self.numbers.algorithm.check_takes_borrow(), Numbers { borrow, ..self.numbers })
    }

    /// Lets a call that cannot pass now wait for its turn, at most for this time, instead of being refused. Zero means that calls do
    /// not wait. A leaky bucket with a wait is a queue. The time is a whole number of milliseconds, at most 366 days.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// use ratelimit::Limit;
    /// use std::time::Duration;
    ///
    /// // A call that comes too early waits for its turn, but is refused if its turn is more than five seconds away.
    /// const MAILS: Limit = Limit::leaky_bucket(10, Duration::from_secs(1)).wait(Duration::from_secs(5));
    /// ```
    ///
    /// The attribute waits. Of the methods of [`RateLimiter`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.RateLimiter.html), `acquire`, `charge` and `permit` wait.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_wait`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn wait(self, wait: Duration) -> Self {
        must(self.try_wait(wait))
    }

    /// [`Limit::wait`] for a duration known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `wait` is not a whole number of milliseconds up to 366 days, more units could wait than can
    /// be counted, or the limit is a leaky bucket with a `burst`.
    pub const fn try_wait(self, wait: Duration) -> Result<Self, LimitError> {
        match whole_ms(wait) {
            Some(wait_ms) => Self::of(Numbers { wait_ms, ..self.numbers }),
            None => Err(LimitError::WAIT_FRACTION),
        }
    }

    /// Blocks a caller that the limit refuses: it stays refused for the first step, although units come back. If it is refused
    /// again after the block, it stays refused for the next step; the last step repeats. If it is not refused for as long as the
    /// longest step after a block, the steps start over. No steps mean no block.
    ///
    /// Calls during a block prolong nothing, and [`retry_after`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.Decision.html#method.retry_after)
    /// is the time until the caller can pass. A call with a [`wait`](Self::wait) does not wait for the end of a block. All limits
    /// with the same key honour a block, also those whose processes have no `block` yet.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// # use ratelimit::Limit;
    /// # use std::time::Duration;
    /// const MINUTE: Duration = Duration::from_secs(60);
    /// const LOGIN: Limit = Limit::counter(5, MINUTE).block(&[MINUTE, Duration::from_secs(600), Duration::from_secs(3600)]);
    /// assert_eq!(LOGIN.to_string(), "counter count=5 time=1m block=1m,10m,1h");
    /// ```
    ///
    /// # Panics
    ///
    /// If [`Limit::try_block`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn block(self, steps: &[Duration]) -> Self {
        must(self.try_block(steps))
    }

    /// [`Limit::block`] for steps known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is a sliding log or a concurrency limit, has a lease, or there are more than four steps, a step is
    /// not a whole number of seconds from 1 s to 366 days, or a step is not longer than the one before it.
    pub const fn try_block(self, steps: &[Duration]) -> Result<Self, LimitError> {
        match Block::of(steps) {
            Ok(block) => Self::of(Numbers { block, ..self.numbers }),
            Err(error) => Err(error),
        }
    }

    const fn if_taken(taken: Result<(), LimitError>, numbers: Numbers) -> Result<Self, LimitError> {
        match taken {
            Ok(()) => Self::of(numbers),
            Err(error) => Err(error),
        }
    }
}
