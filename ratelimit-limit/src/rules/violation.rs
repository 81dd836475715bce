//! `LimitError`: the ways in which the numbers of a limit can be wrong, and the message for each.

use std::fmt;

/// The message of the attribute about a `count` of zero. Only a [`Limit`](crate::Limit) made at run time may have this `count`.
pub const ZERO_COUNT: &str = "`count` must be at least 1: a limit of zero would refuse every call";
/// The message of the attribute about a `burst` of zero.
pub const ZERO_BURST: &str = "`burst` must be at least 1: a bucket of zero would refuse every call";

/// The reason why the numbers of a [`Limit`](crate::Limit) are invalid. The message says what to write instead.
///
/// Constructors such as [`Limit::try_counter`](crate::Limit::try_counter) return it. They also work in constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LimitError(&'static str);

/// The table of all errors.
#[doc(hidden)]
#[rustfmt::skip]
impl LimitError {
    pub const TIME_ZERO: Self = Self("`time` must be at least 1 ms");
    pub const TIME_FRACTION: Self = Self("`time` must be a whole number of milliseconds");
    pub const TIME_TOO_LONG: Self = Self("`time` must be at most 366 days");
    pub const CALENDAR_ELSEWHERE: Self = Self("only a `counter` has windows that end with the calendar: a bucket refills all the time, a sliding window and a log look back from each call, and a permit has a lease; write a length, such as `1d`");
    pub const WAIT_FOR_CALENDAR: Self = Self("`wait` has no effect with a window of the calendar, because no call waits for the next hour, day, week or month: remove it");
    pub const ZONE_UNKNOWN: Self = Self("`zone` must be an offset from UTC of at most 23:59, such as `+01:00`: the rules of named zones change, and all processes and the server would have to know the same ones");
    pub const ZONE_WITHOUT_CALENDAR: Self = Self("`zone` needs a window of the calendar: write `hour`, `day`, `week` or `month` as the `time`");
    pub const BURST_WITHOUT_BUCKET: Self = Self("`burst` needs a bucket: use the algorithm `token_bucket` or `leaky_bucket`");
    pub const BURST_OF_QUEUE: Self = Self("`burst` has no effect on a leaky bucket with `wait`, a queue that `wait` bounds: remove one of them");
    pub const REFILL_WITHOUT_BUCKET: Self = Self("`refill` needs a token bucket: use the algorithm `token_bucket`");
    pub const BORROW_WITHOUT_BUCKET: Self = Self("`borrow` needs a token bucket: use the algorithm `token_bucket`");
    pub const BUCKET_TOO_LARGE: Self = Self("`count` of a bucket, and `burst` and `borrow` together, must be at most 33554432 (2^25): count in larger units, such as thousands");
    pub const WINDOW_TOO_LARGE: Self = Self("`count` of a sliding window must be at most 33554431 (2^25 - 1): count in larger units, such as thousands");
    pub const LOG_TOO_LARGE: Self = Self("`count` of a sliding log must be at most 10000, because each unit is stored: use `sliding_window`");
    pub const TOO_MANY_PERMITS: Self = Self("`count` of a concurrency limit must be at most 10000");
    pub const LEASE_TOO_SHORT: Self = Self("`time` of a concurrency limit is the lease of a permit: it must be at least 1 s");
    pub const LEASE_ELSEWHERE: Self = Self("`lease` needs a counter or a token bucket without `wait`: only the store can decide other limits");
    pub const LEASE_OF_PERMITS: Self = Self("`lease` is for units, and the lease of a permit is `time`: write `time` instead of `lease`");
    pub const LEASE_WITH_WAIT: Self = Self("`lease` and `wait` exclude each other: leased units are handed out without asking the store, so remove one of them");
    pub const LEASE_TOO_LARGE: Self = Self("`lease` must be at most half of what the limit can hold, or one process could take all of it: write a quarter of it, or less");
    pub const BLOCK_ELSEWHERE: Self = Self("`block` needs a counter, a bucket or a sliding window: the state of a log or of permits has no place for a block");
    pub const BLOCK_STEP: Self = Self("each step of `block` must be a whole number of seconds from 1 s to 366 days");
    pub const BLOCK_NOT_GROWING: Self = Self("each step of `block` must be longer than the one before it, as in `1m`, `10m`, `1h`");
    pub const BLOCK_TOO_MANY_STEPS: Self = Self("`block` must have at most 4 steps; the last one repeats");
    pub const BLOCK_WITH_LEASE: Self = Self("`block` and `lease` exclude each other: a process that hands out leased units does not see that a caller is blocked, so remove one of them");
    pub const FAIR_WITHOUT_BUCKET: Self = Self("`fair` needs a bucket whose units come back one by one, because the units that a window leaves to others are lost when it ends: use the algorithm `token_bucket` or `leaky_bucket`");
    pub const FAIR_BY_INTERVAL: Self = Self("`fair` needs a bucket whose units come back one by one: remove `refill = \"interval\"`");
    pub const FAIR_WITH_WAIT: Self = Self("`fair` and `wait` exclude each other: a call that waits has a turn, and turns are in the order of arrival, so remove one of them");
    pub const FAIR_WITH_LEASE: Self = Self("`fair` and `lease` exclude each other: a process takes leased units before it knows whose calls will use them, so remove one of them");
    pub const FAIR_WITH_BLOCK: Self = Self("`fair` and `block` exclude each other: a block refuses all callers that share the limit, so remove one of them");
    pub const WAIT_FRACTION: Self = Self("`wait` must be a whole number of milliseconds");
    pub const WAIT_TOO_LONG: Self = Self("`wait` must be at most 366 days");
    pub const QUEUE_TOO_LARGE: Self = Self("more than 67108864 (2^26) units could be in use and waiting: choose a shorter `wait`");
    pub const REFILL_TOO_SLOW: Self = Self("the bucket would take more than 366 days to refill: lower `burst` or raise `count`");
    pub const NOT_EXACT: Self = Self("the numbers are too large to be counted exactly: choose a shorter `time`, or a `count` that shares a factor with it");
}

impl LimitError {
    /// The message. [`Display`](fmt::Display) writes the same text; this method also works in constants.
    pub const fn message(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for LimitError {
    /// Shows the message, because a `main` that returns an error prints this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LimitError {}

#[cfg(test)]
mod tests {
    use super::super::block::MAX_STEPS;
    use super::super::bounds::{MAX_BUCKET, MAX_LEVEL, MAX_STORED, MAX_TIME_MS, MAX_WINDOW};
    use super::LimitError;

    #[test]
    fn messages_state_the_bounds() {
        for (violation, bound) in [
            (LimitError::BUCKET_TOO_LARGE, MAX_BUCKET.into()),
            (LimitError::WINDOW_TOO_LARGE, MAX_WINDOW.into()),
            (LimitError::LOG_TOO_LARGE, MAX_STORED.into()),
            (LimitError::TOO_MANY_PERMITS, MAX_STORED.into()),
            (LimitError::QUEUE_TOO_LARGE, MAX_LEVEL),
            (LimitError::TIME_TOO_LONG, u128::from(MAX_TIME_MS / 86_400_000)),
            (LimitError::WAIT_TOO_LONG, u128::from(MAX_TIME_MS / 86_400_000)),
            (LimitError::BLOCK_STEP, u128::from(MAX_TIME_MS / 86_400_000)),
            (LimitError::BLOCK_TOO_MANY_STEPS, MAX_STEPS as u128),
            (LimitError::REFILL_TOO_SLOW, u128::from(MAX_TIME_MS / 86_400_000)),
        ] {
            assert!(violation.message().contains(&format!(" {bound}")), "{violation}");
            assert_eq!(violation.to_string(), violation.message());
        }
    }
}
