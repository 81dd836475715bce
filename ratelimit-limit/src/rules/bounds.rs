//! The bounds of each number of a limit, and the numbers that each algorithm takes.
//!
//! Lua stores numbers as doubles, so the scripts count exactly below 2^53. These bounds keep every state below that.

use super::{Algorithm, State, Violation};

/// The longest `time` and `wait`, and the longest time in which a bucket may refill: 366 days.
pub const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// The largest `count` and capacity of a bucket, which shares one integer with its clock.
pub const MAX_BUCKET: u32 = 1 << 25;
/// The most units that can be in use and waiting in a bucket.
pub const MAX_LEVEL: u128 = 1 << 26;
/// The largest `count` of a sliding window. Two windows share one integer, and each may be one `count` in debt.
pub const MAX_WINDOW: u32 = (1 << 25) - 1;
/// The largest `count` of a log or a concurrency limit, which store each unit.
pub const MAX_STORED: u32 = 10_000;
/// The shortest lease of a permit: it must outlast short network failures.
pub const MIN_LEASE_MS: u64 = 1000;
/// Integers below this one are exact in Lua.
pub const EXACT: u128 = 1 << 53;

type Checked = Result<(), Violation>;

#[doc(hidden)]
impl Algorithm {
    /// Whether the units are permits.
    pub const fn is_concurrency(self) -> bool {
        matches!(self.state(), State::Permits)
    }

    pub const fn is_bucket(self) -> bool {
        matches!(self.state(), State::Bucket)
    }

    /// Checks a `count`, whatever the other numbers are.
    pub const fn check_count(self, count: u32) -> Checked {
        let (most, violation) = match self.state() {
            State::Counter => return Ok(()),
            State::SlidingWindow => (MAX_WINDOW, Violation::WindowTooLarge),
            State::Bucket => (MAX_BUCKET, Violation::BucketTooLarge),
            State::Log => (MAX_STORED, Violation::LogTooLarge),
            State::Permits => (MAX_STORED, Violation::TooManyPermits),
        };
        if count > most { Err(violation) } else { Ok(()) }
    }

    /// Checks a `time`, whatever the other numbers are.
    pub const fn check_time(self, time_ms: u64) -> Checked {
        match time_ms {
            0 => Err(Violation::TimeZero),
            1..MIN_LEASE_MS if self.is_concurrency() => Err(Violation::LeaseTooShort),
            1..=MAX_TIME_MS => Ok(()),
            _ => Err(Violation::TimeTooLong),
        }
    }

    /// Checks whether the algorithm takes a `burst`, in a limit that waits or not.
    pub const fn check_takes_burst(self, waits: bool) -> Checked {
        if waits && self.traits().wait_makes_queue {
            Err(Violation::BurstOfQueue)
        } else if self.is_bucket() {
            Ok(())
        } else {
            Err(Violation::BurstWithoutBucket)
        }
    }

    /// Checks whether the windows may be those of the calendar.
    pub const fn check_takes_calendar(self, waits: bool) -> Checked {
        match self.state() {
            State::Counter if waits => Err(Violation::WaitForCalendar),
            State::Counter => Ok(()),
            State::SlidingWindow | State::Bucket | State::Log | State::Permits => {
                Err(Violation::CalendarElsewhere)
            }
        }
    }

    pub const fn check_takes_refill(self) -> Checked {
        if self.traits().takes_refill { Ok(()) } else { Err(Violation::RefillWithoutBucket) }
    }

    pub const fn check_takes_borrow(self) -> Checked {
        if self.traits().takes_borrow { Ok(()) } else { Err(Violation::BorrowWithoutBucket) }
    }

    /// Checks whether the state of the algorithm has a place for a block.
    pub const fn check_takes_block(self) -> Checked {
        match self.state() {
            State::Counter | State::SlidingWindow | State::Bucket => Ok(()),
            State::Log | State::Permits => Err(Violation::BlockElsewhere),
        }
    }

    /// Checks whether a process may hand out units by itself.
    pub const fn check_takes_lease(self, waits: bool) -> Checked {
        if self.traits().takes_lease && !waits { Ok(()) } else { Err(Violation::LeaseElsewhere) }
    }
}

/// Checks a `wait`, whatever the other numbers are.
pub const fn check_wait(wait_ms: u64) -> Checked {
    if wait_ms > MAX_TIME_MS { Err(Violation::WaitTooLong) } else { Ok(()) }
}

/// Checks the capacity of a bucket that is not a queue: its `burst` and `borrow` together.
pub const fn check_bucket(capacity: u32) -> Checked {
    if capacity > MAX_BUCKET { Err(Violation::BucketTooLarge) } else { Ok(()) }
}

/// Checks how many units a process may lease of a limit that can hold `capacity`.
pub const fn check_lease(units: u32, capacity: u32) -> Checked {
    if units > capacity / 2 { Err(Violation::LeaseTooLarge) } else { Ok(()) }
}
