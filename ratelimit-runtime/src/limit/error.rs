//! Why numbers make no limit.

use std::fmt;

/// Why the numbers of a [`Limit`](crate::Limit) were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitError {
    /// `time` is zero.
    TimeZero,
    /// `time` has a fraction of a millisecond.
    TimeFraction,
    /// `time` is above 366 days.
    TimeTooLong,
    /// `burst` on a limit that is no bucket.
    BurstWithoutBucket,
    /// `burst` on a leaky bucket with a `wait`: a queue, which `wait` bounds.
    BurstOfQueue,
    /// `refill` on a limit that is no token bucket.
    RefillWithoutBucket,
    /// `borrow` on a limit that is no token bucket.
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
    /// `lease` on a limit whose units another than the store cannot hand out.
    LeaseElsewhere,
    /// `lease` above half of what the limit can hold.
    LeaseTooLarge,
    /// `wait` has a fraction of a millisecond.
    WaitFraction,
    /// `wait` is above 366 days.
    WaitTooLong,
    /// More units could wait than can be counted.
    QueueTooLarge,
    /// The bucket would take more than 366 days to refill.
    RefillTooSlow,
    /// The numbers are too large to be counted exactly.
    NotExact,
}

impl LimitError {
    /// The error in words, with what to do.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::TimeZero => "`time` has to be at least 1 ms",
            Self::TimeFraction => "`time` has to be a whole number of milliseconds",
            Self::TimeTooLong => "`time` has to be at most 366 days",
            Self::BurstWithoutBucket => "`burst` needs a bucket: use `token_bucket` or `leaky_bucket`",
            Self::BurstOfQueue => {
                "a leaky bucket with a `wait` is a queue, which `wait` bounds: leave out `burst`"
            }
            Self::RefillWithoutBucket => "`refill` needs a bucket: use `token_bucket`",
            Self::BorrowWithoutBucket => "`borrow` needs a bucket: use `token_bucket`",
            Self::BucketTooLarge => {
                "`count` of a bucket, and `burst` and `borrow` together, have to be at most 33554432 (2^25)"
            }
            Self::WindowTooLarge => "`count` of a sliding window has to be at most 33554431",
            Self::LogTooLarge => {
                "`count` of a sliding log has to be at most 10000, since each unit is remembered: use `sliding_window`"
            }
            Self::TooManyPermits => "`count` of a concurrency limit has to be at most 10000",
            Self::LeaseTooShort => {
                "`time` of a concurrency limit is the lease of a permit: it has to be at least 1 s"
            }
            Self::LeaseElsewhere => {
                "`lease` needs a counter or a token bucket without `wait`: the store alone can decide the others"
            }
            Self::LeaseTooLarge => {
                "`lease` has to be at most half of what the limit can hold, or one process would keep all of it"
            }
            Self::WaitFraction => "`wait` has to be a whole number of milliseconds",
            Self::WaitTooLong => "`wait` has to be at most 366 days",
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

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for LimitError {}
