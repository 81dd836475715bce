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
    /// `refill` on a limit that is no token bucket.
    RefillWithoutBucket,
    /// `count` or `burst` of a bucket above 2^26.
    BucketTooLarge,
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
            Self::BurstWithoutBucket => "`burst` needs a bucket: use `token_bucket`",
            Self::RefillWithoutBucket => "`refill` needs a bucket: use `token_bucket`",
            Self::BucketTooLarge => "`count` and `burst` of a bucket have to be at most 67108864 (2^26)",
            Self::RefillTooSlow => {
                "the bucket would take more than 366 days to refill: lower `burst` or raise `count`"
            }
            Self::NotExact => {
                "`burst` times `time` is too large to be counted exactly: choose a shorter `time`, or a `count` that shares a factor with it"
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
