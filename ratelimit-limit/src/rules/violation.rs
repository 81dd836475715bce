//! The ways in which the numbers of a limit can be wrong, and what an error says about each.

use std::fmt;

/// The message of the attribute about a `count` of zero, which a [`Limit`](crate::Limit) may have.
pub const ZERO_COUNT: &str = "`count` must be at least 1: a limit of zero would refuse every call";
/// The message of the attribute about a `burst` of zero.
pub const ZERO_BURST: &str = "`burst` must be at least 1: a bucket of zero would refuse every call";

/// Why the numbers of a [`Limit`](crate::Limit) are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Violation {
    /// `time` is zero.
    TimeZero,
    /// `time` has a fraction of a millisecond.
    TimeFraction,
    /// `time` is above 366 days.
    TimeTooLong,
    /// A window of the calendar in a limit that is not a counter.
    CalendarElsewhere,
    /// `wait` on a limit with windows of the calendar.
    WaitForCalendar,
    /// `zone` that is not an offset from UTC.
    ZoneUnknown,
    /// `zone` on a limit without windows of the calendar.
    ZoneWithoutCalendar,
    /// `burst` on a limit that is not a bucket.
    BurstWithoutBucket,
    /// `burst` on a leaky bucket with a `wait`, which is a queue whose length `wait` bounds.
    BurstOfQueue,
    /// `refill` on a limit that is not a token bucket.
    RefillWithoutBucket,
    /// `borrow` on a limit that is not a token bucket.
    BorrowWithoutBucket,
    /// `count`, or `burst` and `borrow` together, of a bucket above 2^25.
    BucketTooLarge,
    /// `count` of a sliding window above 2^25 - 1.
    WindowTooLarge,
    /// `count` of a sliding log above 10 000.
    LogTooLarge,
    /// `count` of a concurrency limit above 10 000.
    TooManyPermits,
    /// `time` of a concurrency limit below one second.
    LeaseTooShort,
    /// `lease` on a limit whose units only the store can hand out.
    LeaseElsewhere,
    /// `lease` above half of what the limit can hold.
    LeaseTooLarge,
    /// `block` on a limit whose state has no place for it.
    BlockElsewhere,
    /// A step of `block` is not a whole number of seconds from 1 s to 366 days.
    BlockStep,
    /// A step of `block` is not longer than the one before it.
    BlockNotGrowing,
    /// `block` has more than four steps.
    BlockTooManySteps,
    /// `block` on a limit with a `lease`.
    BlockWithLease,
    /// `wait` has a fraction of a millisecond.
    WaitFraction,
    /// `wait` is above 366 days.
    WaitTooLong,
    /// More units could be in use and waiting than can be counted.
    QueueTooLarge,
    /// The bucket would take more than 366 days to refill.
    RefillTooSlow,
    /// The numbers are too large to be counted exactly.
    NotExact,
}

impl Violation {
    /// The message, which says what to do.
    pub const fn message(self) -> &'static str {
        match self {
            Self::TimeZero => "`time` must be at least 1 ms",
            Self::TimeFraction => "`time` must be a whole number of milliseconds",
            Self::TimeTooLong => "`time` must be at most 366 days",
            Self::CalendarElsewhere => {
                "only a `counter` has windows that end with the calendar: a bucket refills all the time, a sliding window and a log look back from each call, and a permit has a lease; write a length, such as `1d`"
            }
            Self::WaitForCalendar => {
                "`wait` has no effect with a window of the calendar, because no call waits for the next hour, day, week or month: remove it"
            }
            Self::ZoneUnknown => {
                "`zone` must be an offset from UTC of at most 23:59, such as `+01:00`: the rules of named zones change, and all processes and the server would have to know the same ones"
            }
            Self::ZoneWithoutCalendar => {
                "`zone` needs a window of the calendar: write `hour`, `day`, `week` or `month` as the `time`"
            }
            Self::BurstWithoutBucket => {
                "`burst` needs a bucket: use the algorithm `token_bucket` or `leaky_bucket`"
            }
            Self::BurstOfQueue => {
                "`burst` has no effect on a leaky bucket with `wait`, a queue that `wait` bounds: remove one of them"
            }
            Self::RefillWithoutBucket => "`refill` needs a token bucket: use the algorithm `token_bucket`",
            Self::BorrowWithoutBucket => "`borrow` needs a token bucket: use the algorithm `token_bucket`",
            Self::BucketTooLarge => {
                "`count` of a bucket, and `burst` and `borrow` together, must be at most 33554432 (2^25)"
            }
            Self::WindowTooLarge => "`count` of a sliding window must be at most 33554431 (2^25 - 1)",
            Self::LogTooLarge => {
                "`count` of a sliding log must be at most 10000, because each unit is stored: use `sliding_window`"
            }
            Self::TooManyPermits => "`count` of a concurrency limit must be at most 10000",
            Self::LeaseTooShort => {
                "`time` of a concurrency limit is the lease of a permit: it must be at least 1 s"
            }
            Self::LeaseElsewhere => {
                "`lease` needs a counter or a token bucket without `wait`: only the store can decide other limits"
            }
            Self::LeaseTooLarge => {
                "`lease` must be at most half of what the limit can hold, or one process could take all of it: write a quarter of it, or less"
            }
            Self::BlockElsewhere => {
                "`block` needs a counter, a bucket or a sliding window: the state of a log or of permits has no place for a block"
            }
            Self::BlockStep => "each step of `block` must be a whole number of seconds from 1 s to 366 days",
            Self::BlockNotGrowing => {
                "each step of `block` must be longer than the one before it, as in `1m`, `10m`, `1h`"
            }
            Self::BlockTooManySteps => "`block` must have at most 4 steps; the last one repeats",
            Self::BlockWithLease => {
                "`block` and `lease` exclude each other: a process that hands out leased units does not see that a caller is blocked, so remove one of them"
            }
            Self::WaitFraction => "`wait` must be a whole number of milliseconds",
            Self::WaitTooLong => "`wait` must be at most 366 days",
            Self::QueueTooLarge => {
                "more than 67108864 (2^26) units could be in use and waiting: choose a shorter `wait`"
            }
            Self::RefillTooSlow => {
                "the bucket would take more than 366 days to refill: lower `burst` or raise `count`"
            }
            Self::NotExact => {
                "the numbers are too large to be counted exactly: choose a shorter `time`, or a `count` that shares a factor with it"
            }
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Violation {}

#[cfg(test)]
mod tests {
    use super::super::block::MAX_STEPS;
    use super::super::bounds::{MAX_BUCKET, MAX_LEVEL, MAX_STORED, MAX_TIME_MS, MAX_WINDOW};
    use super::Violation;

    #[test]
    fn messages_state_the_bounds() {
        for (violation, bound) in [
            (Violation::BucketTooLarge, MAX_BUCKET.into()),
            (Violation::WindowTooLarge, MAX_WINDOW.into()),
            (Violation::LogTooLarge, MAX_STORED.into()),
            (Violation::TooManyPermits, MAX_STORED.into()),
            (Violation::QueueTooLarge, MAX_LEVEL),
            (Violation::TimeTooLong, u128::from(MAX_TIME_MS / 86_400_000)),
            (Violation::WaitTooLong, u128::from(MAX_TIME_MS / 86_400_000)),
            (Violation::BlockStep, u128::from(MAX_TIME_MS / 86_400_000)),
            (Violation::BlockTooManySteps, MAX_STEPS as u128),
            (Violation::RefillTooSlow, u128::from(MAX_TIME_MS / 86_400_000)),
        ] {
            assert!(violation.message().contains(&format!(" {bound}")), "{violation}");
            assert_eq!(violation.to_string(), violation.message());
        }
    }
}
