//! The options of a limit: burst, zone, refill, borrow, wait and block.

use super::constructors::{must, whole_ms};
use super::rules::block::Block;
use super::rules::number::Number;
use super::rules::numbers::Numbers;
use super::rules::violation::ZERO_BURST;
use super::{Limit, LimitError, Refill, Zone};
use std::time::Duration;

impl Limit {
    /// Sets the capacity of a bucket, in units. The default is `count`.
    ///
    /// # Panics
    ///
    /// If `burst` is zero, or if [`Limit::try_burst`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn burst(self, burst: u32) -> Self {
        assert!(burst > 0, "{}", ZERO_BURST);
        must(self.try_burst(burst))
    }

    /// Like [`Limit::burst`], for a number known only at run time. The number may be zero.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a bucket or is a queue, `burst` is above 2^25, or the bucket would take more than 366
    /// days to refill.
    pub const fn try_burst(self, burst: u32) -> Result<Self, LimitError> {
        Self::if_taken(Number::Burst, Numbers { burst, ..self.numbers })
    }

    /// Sets the zone of a calendar window: an offset from UTC, from `-23:59` to `+23:59`. The default is UTC.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_zone`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn zone(self, offset: &str) -> Self {
        must(self.try_zone(offset))
    }

    /// Like [`Limit::zone`], for a text known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit has no calendar window, or if the text is not an offset such as `+01:00`. Names of zones are
    /// not supported: their rules change, so all processes and the server would need the same version of the rules.
    pub const fn try_zone(self, offset: &str) -> Result<Self, LimitError> {
        match Zone::parse(offset) {
            Some(zone) => Self::if_taken(Number::Zone, Numbers { zone, ..self.numbers }),
            None => Err(LimitError::ZONE_UNKNOWN),
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

    /// Like [`Limit::refill`], for a value known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a token bucket, or its numbers do not fit this refill.
    pub const fn try_refill(self, refill: Refill) -> Result<Self, LimitError> {
        Self::if_taken(Number::Refill, Numbers { refill, ..self.numbers })
    }

    /// Lets the balance of a token bucket go below zero by this number of tokens. Later calls are refused until the balance is
    /// above zero again.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_borrow`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn borrow(self, borrow: u32) -> Self {
        must(self.try_borrow(borrow))
    }

    /// Like [`Limit::borrow`], for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is not a token bucket, `burst` and `borrow` together are above 2^25, or the bucket would take
    /// more than 366 days to refill.
    pub const fn try_borrow(self, borrow: u32) -> Result<Self, LimitError> {
        Self::if_taken(Number::Borrow, Numbers { borrow, ..self.numbers })
    }

    /// Lets a call that cannot pass now wait for its turn, at most for this time, instead of being refused. Zero means that calls
    /// do not wait. A leaky bucket with a wait is a queue. The time is a whole number of milliseconds, at most 366 days.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// use ratelimit::Limit;
    /// use std::time::Duration;
    ///
    /// // A call that comes too early waits for its turn. If its turn is more than five seconds away, it is refused.
    /// const MAILS: Limit = Limit::leaky_bucket(10, Duration::from_secs(1)).wait(Duration::from_secs(5));
    /// ```
    ///
    /// Functions with the attribute wait for their turn. So do the methods `acquire`, `charge` and `permit` of
    /// [`RateLimiter`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.RateLimiter.html).
    ///
    /// # Panics
    ///
    /// If [`Limit::try_wait`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn wait(self, wait: Duration) -> Self {
        must(self.try_wait(wait))
    }

    /// Like [`Limit::wait`], for a duration known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if `wait` is not a whole number of milliseconds up to 366 days; if more units could wait than can be
    /// counted; or if the limit has a calendar window, has a lease, or is a leaky bucket with a `burst`.
    pub const fn try_wait(self, wait: Duration) -> Result<Self, LimitError> {
        match whole_ms(wait) {
            Some(wait_ms) => Self::of(Numbers { wait_ms, ..self.numbers }),
            None => Err(LimitError::WAIT_FRACTION),
        }
    }

    /// Blocks a caller that the limit refuses: the caller stays refused for the first step, although units come back. If the
    /// limit refuses the caller again after the block, the caller stays refused for the next step; the last step repeats. The
    /// steps start over if, after a block, the caller is not refused for the length of the longest step. An empty slice means no
    /// block.
    ///
    /// Calls during a block do not prolong it, and
    /// [`retry_after`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.Decision.html#method.retry_after) is the time
    /// until the caller can pass. A call with a [`wait`](Self::wait) does not wait for the end of a block. All processes that use
    /// the key honour a block, even if their version of the limit has no `block` yet.
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

    /// Like [`Limit::block`], for steps known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is a sliding log or a concurrency limit, or has a lease; if there are more than four steps;
    /// if a step is not a whole number of seconds from 1 s to 366 days; or if a step is not longer than the step before it.
    pub const fn try_block(self, steps: &[Duration]) -> Result<Self, LimitError> {
        match Block::of(steps) {
            Ok(block) => Self::of(Numbers { block, ..self.numbers }),
            Err(error) => Err(error),
        }
    }

    const fn if_taken(number: Number, numbers: Numbers) -> Result<Self, LimitError> {
        match number.check_taken(&numbers) {
            Ok(()) => Self::of(numbers),
            Err(error) => Err(error),
        }
    }
}
