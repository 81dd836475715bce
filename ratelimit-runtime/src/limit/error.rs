//! The error of a limit whose numbers are out of range.

use std::fmt;

/// Why the numbers of a [`Limit`](crate::Limit) were refused: a message that says what to write instead.
///
/// Constructors such as [`Limit::try_counter`](crate::Limit::try_counter) return it, also in constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitError {
    message: &'static str,
}

#[expect(
    non_upper_case_globals,
    reason = "the reasons read like the variants of an enum, but are not public"
)]
impl LimitError {
    /// `time` is zero.
    pub(super) const TimeZero: Self = Self::new("`time` has to be at least 1 ms");
    /// `time` has a fraction of a millisecond.
    pub(super) const TimeFraction: Self = Self::new("`time` has to be a whole number of milliseconds");
    /// `time` is above 366 days.
    pub(super) const TimeTooLong: Self = Self::new("`time` has to be at most 366 days");
    /// `burst` on a limit that is no bucket.
    pub(super) const BurstWithoutBucket: Self =
        Self::new("`burst` needs a bucket: use `token_bucket` or `leaky_bucket`");
    /// `burst` on a leaky bucket with a `wait`: a queue, which `wait` bounds.
    pub(super) const BurstOfQueue: Self =
        Self::new("a leaky bucket with a `wait` is a queue, which `wait` bounds: leave out `burst`");
    /// `refill` on a limit that is no token bucket.
    pub(super) const RefillWithoutBucket: Self = Self::new("`refill` needs a bucket: use `token_bucket`");
    /// `borrow` on a limit that is no token bucket.
    pub(super) const BorrowWithoutBucket: Self = Self::new("`borrow` needs a bucket: use `token_bucket`");
    /// `count`, or `burst` and `borrow` together, of a bucket above 2^25.
    pub(super) const BucketTooLarge: Self = Self::new(
        "`count` of a bucket, and `burst` and `borrow` together, have to be at most 33554432 (2^25)",
    );
    /// `count` of a sliding window above 2^25 - 1.
    pub(super) const WindowTooLarge: Self =
        Self::new("`count` of a sliding window has to be at most 33554431");
    /// `count` of a sliding log above 10 000.
    pub(super) const LogTooLarge: Self = Self::new(
        "`count` of a sliding log has to be at most 10000, since each unit is remembered: use `sliding_window`",
    );
    /// `count` of a concurrency limit above 10 000.
    pub(super) const TooManyPermits: Self =
        Self::new("`count` of a concurrency limit has to be at most 10000");
    /// `time` of a concurrency limit below one second.
    pub(super) const LeaseTooShort: Self =
        Self::new("`time` of a concurrency limit is the lease of a permit: it has to be at least 1 s");
    /// `lease` on a limit whose units another than the store cannot hand out.
    pub(super) const LeaseElsewhere: Self = Self::new(
        "`lease` needs a counter or a token bucket without `wait`: the store alone can decide the others",
    );
    /// `lease` above half of what the limit can hold.
    pub(super) const LeaseTooLarge: Self = Self::new(
        "`lease` has to be at most half of what the limit can hold, or one process would keep all of it",
    );
    /// `wait` has a fraction of a millisecond.
    pub(super) const WaitFraction: Self = Self::new("`wait` has to be a whole number of milliseconds");
    /// `wait` is above 366 days.
    pub(super) const WaitTooLong: Self = Self::new("`wait` has to be at most 366 days");
    /// More units could wait than can be counted.
    pub(super) const QueueTooLarge: Self =
        Self::new("more than 67108864 (2^26) units could be in use and waiting: choose a shorter `wait`");
    /// The bucket would take more than 366 days to refill.
    pub(super) const RefillTooSlow: Self =
        Self::new("the bucket would take more than 366 days to refill: lower `burst` or raise `count`");
    /// The numbers are too large to be counted exactly.
    pub(super) const NotExact: Self = Self::new(
        "the numbers are too large to be counted exactly: choose a shorter `time`, or a `count` that shares a factor with it",
    );
}

impl LimitError {
    const fn new(message: &'static str) -> Self {
        Self { message }
    }

    /// The error in words, with what to do. [`Display`](fmt::Display) writes the same, and this also works in constants.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.message
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for LimitError {}
