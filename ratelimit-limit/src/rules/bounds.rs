//! The bounds of each number of a limit, and the numbers that each algorithm takes.
//!
//! Lua stores numbers as doubles, so the scripts count exactly below 2^53. These bounds keep every state below that.

use super::{Algorithm, LimitError, State};

/// The longest `time` and `wait`, and the longest time in which a bucket may refill: 366 days.
pub const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// The largest `count` and the largest capacity of a bucket. The level and the clock of a bucket share one integer.
pub const MAX_BUCKET: u32 = 1 << 25;
/// The largest sum of the units that a bucket can hold and the units that can wait for their turn.
pub const MAX_LEVEL: u128 = 1 << 26;
/// The largest `count` of a sliding window. The state stores two windows in one integer. A window may be in debt by one `count`,
/// so each of the two needs room for `2 * count` units.
pub const MAX_WINDOW: u32 = (1 << 25) - 1;
/// The largest `count` of a log or a concurrency limit, which store each unit.
pub const MAX_STORED: u32 = 10_000;
/// The shortest lease of a permit: it must outlast short network failures.
pub const MIN_LEASE_MS: u64 = 1000;
/// Integers below this one are exact in Lua.
pub const EXACT: u128 = 1 << 53;

type Checked = Result<(), LimitError>;

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
        let (most, error) = match self.state() {
            State::Counter => return Ok(()),
            State::SlidingWindow => (MAX_WINDOW, LimitError::WINDOW_TOO_LARGE),
            State::Bucket => (MAX_BUCKET, LimitError::BUCKET_TOO_LARGE),
            State::Log => (MAX_STORED, LimitError::LOG_TOO_LARGE),
            State::Permits => (MAX_STORED, LimitError::TOO_MANY_PERMITS),
        };
        if count > most { Err(error) } else { Ok(()) }
    }

    /// Checks a `time`, whatever the other numbers are.
    pub const fn check_time(self, time_ms: u64) -> Checked {
        match time_ms {
            0 => Err(LimitError::TIME_ZERO),
            1..MIN_LEASE_MS if self.is_concurrency() => Err(LimitError::LEASE_TOO_SHORT),
            1..=MAX_TIME_MS => Ok(()),
            _ => Err(LimitError::TIME_TOO_LONG),
        }
    }

    /// Checks whether the algorithm takes a `burst`. `waits` says whether the limit has a `wait`.
    pub const fn check_takes_burst(self, waits: bool) -> Checked {
        if waits && matches!(self, Self::LeakyBucket) {
            Err(LimitError::BURST_OF_QUEUE)
        } else if self.is_bucket() {
            Ok(())
        } else {
            Err(LimitError::BURST_WITHOUT_BUCKET)
        }
    }

    /// Checks whether the algorithm can have calendar windows. `waits` says whether the limit has a `wait`.
    pub const fn check_takes_calendar(self, waits: bool) -> Checked {
        match self.state() {
            State::Counter if waits => Err(LimitError::WAIT_FOR_CALENDAR),
            State::Counter => Ok(()),
            State::SlidingWindow | State::Bucket | State::Log | State::Permits => {
                Err(LimitError::CALENDAR_ELSEWHERE)
            }
        }
    }

    pub const fn check_takes_refill(self) -> Checked {
        if matches!(self, Self::TokenBucket) { Ok(()) } else { Err(LimitError::REFILL_WITHOUT_BUCKET) }
    }

    pub const fn check_takes_borrow(self) -> Checked {
        if matches!(self, Self::TokenBucket) { Ok(()) } else { Err(LimitError::BORROW_WITHOUT_BUCKET) }
    }

    /// Checks whether the state of the algorithm has a place for a block.
    pub const fn check_takes_block(self) -> Checked {
        match self.state() {
            State::Counter | State::SlidingWindow | State::Bucket => Ok(()),
            State::Log | State::Permits => Err(LimitError::BLOCK_ELSEWHERE),
        }
    }

    /// Checks whether a process may hand out units by itself, which needs units that are interchangeable between callers.
    pub const fn check_takes_lease(self, waits: bool) -> Checked {
        let takes_lease = matches!(self, Self::Counter | Self::TokenBucket) && !waits;
        if takes_lease { Ok(()) } else { Err(LimitError::LEASE_ELSEWHERE) }
    }
}

/// Checks a `wait`, whatever the other numbers are.
pub const fn check_wait(wait_ms: u64) -> Checked {
    if wait_ms > MAX_TIME_MS { Err(LimitError::WAIT_TOO_LONG) } else { Ok(()) }
}

/// Checks the capacity of a bucket that is not a queue: its `burst` and `borrow` together.
pub const fn check_bucket(capacity: u32) -> Checked {
    if capacity > MAX_BUCKET { Err(LimitError::BUCKET_TOO_LARGE) } else { Ok(()) }
}

/// Checks that a lease is at most half of the `capacity` of its limit.
pub const fn check_lease(units: u32, capacity: u32) -> Checked {
    if units > capacity / 2 { Err(LimitError::LEASE_TOO_LARGE) } else { Ok(()) }
}
