//! The bounds of each number of a limit, and the numbers that each algorithm takes.
//!
//! Lua stores numbers as doubles, so the scripts count exactly below 2^53. These bounds keep every state below that.

use super::{Algorithm, Violation};

/// The longest `time` and `wait`, and the longest time in which a bucket may refill: 366 days.
pub(crate) const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// The largest `count` and capacity of a bucket, which shares one integer with its clock.
pub(crate) const MAX_BUCKET: u32 = 1 << 25;
/// The most units that can be in use and waiting in a bucket.
pub(crate) const MAX_LEVEL: u128 = 1 << 26;
/// The largest `count` of a sliding window. Two windows share one integer, and each may be one `count` in debt.
pub(crate) const MAX_WINDOW: u32 = (1 << 25) - 1;
/// The largest `count` of a log or a concurrency limit, which store each unit.
pub(crate) const MAX_STORED: u32 = 10_000;
/// The shortest lease of a permit: it must outlast short network failures.
pub(crate) const MIN_LEASE_MS: u64 = 1000;
/// Integers below this one are exact in Lua.
pub(crate) const EXACT: u128 = 1 << 53;

type Checked = Result<(), Violation>;

impl Algorithm {
    pub(crate) const fn is_bucket(self) -> bool {
        matches!(self, Self::TokenBucket | Self::LeakyBucket)
    }

    /// Checks a `count`, whatever the other numbers are.
    pub(crate) const fn check_count(self, count: u32) -> Checked {
        match self {
            Self::TokenBucket | Self::LeakyBucket if count > MAX_BUCKET => Err(Violation::BucketTooLarge),
            Self::SlidingWindow if count > MAX_WINDOW => Err(Violation::WindowTooLarge),
            Self::SlidingLog if count > MAX_STORED => Err(Violation::LogTooLarge),
            Self::Concurrency if count > MAX_STORED => Err(Violation::TooManyPermits),
            _ => Ok(()),
        }
    }

    /// Checks a `time`, whatever the other numbers are.
    pub(crate) const fn check_time(self, time_ms: u64) -> Checked {
        match self {
            _ if time_ms == 0 => Err(Violation::TimeZero),
            _ if time_ms > MAX_TIME_MS => Err(Violation::TimeTooLong),
            Self::Concurrency if time_ms < MIN_LEASE_MS => Err(Violation::LeaseTooShort),
            _ => Ok(()),
        }
    }

    /// Checks whether the algorithm takes a `burst`, in a limit that waits or not.
    pub(crate) const fn check_takes_burst(self, waits: bool) -> Checked {
        match self {
            Self::LeakyBucket if waits => Err(Violation::BurstOfQueue),
            _ if self.is_bucket() => Ok(()),
            _ => Err(Violation::BurstWithoutBucket),
        }
    }

    pub(crate) const fn check_takes_refill(self) -> Checked {
        if matches!(self, Self::TokenBucket) { Ok(()) } else { Err(Violation::RefillWithoutBucket) }
    }

    pub(crate) const fn check_takes_borrow(self) -> Checked {
        if matches!(self, Self::TokenBucket) { Ok(()) } else { Err(Violation::BorrowWithoutBucket) }
    }

    /// Checks whether a process may hand out units by itself: units must be interchangeable between callers.
    pub(crate) const fn check_takes_lease(self, waits: bool) -> Checked {
        match self {
            Self::Counter | Self::TokenBucket if !waits => Ok(()),
            _ => Err(Violation::LeaseElsewhere),
        }
    }
}

/// Checks a `wait`, whatever the other numbers are.
pub(crate) const fn check_wait(wait_ms: u64) -> Checked {
    if wait_ms > MAX_TIME_MS { Err(Violation::WaitTooLong) } else { Ok(()) }
}

/// Checks the capacity of a bucket that is not a queue: its `burst` and `borrow` together.
pub(crate) const fn check_bucket(capacity: u32) -> Checked {
    if capacity > MAX_BUCKET { Err(Violation::BucketTooLarge) } else { Ok(()) }
}

/// Checks how many units a process may lease of a limit that can hold `capacity`.
pub(crate) const fn check_lease(units: u32, capacity: u32) -> Checked {
    if units > capacity / 2 { Err(Violation::LeaseTooLarge) } else { Ok(()) }
}
