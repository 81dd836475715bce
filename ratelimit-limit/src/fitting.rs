//! Adapts numbers that do not fit together at run time: leases and overrides.

use super::rules::block::Block;
use super::rules::bounds::{EXACT, MAX_BUCKET, MAX_LEVEL, MAX_STORED, MAX_TIME_MS, MAX_WINDOW, MIN_LEASE_MS};
use super::rules::numbers::{Lease, Numbers};
use super::{Limit, LimitError};

/// The most corrections, more than any numbers need. Each ends a violation, and may cause one of a later rule.
const MOST_REMEDIES: usize = 8;

impl Limit {
    /// Adds a lease of this many units, or fewer if the limit holds less than twice as many.
    #[doc(hidden)]
    pub fn with_lease_up_to(self, units: u32) -> Result<Self, LimitError> {
        Self::with_following_lease(Numbers { lease: Lease::Most(units), ..self.numbers })
    }

    /// Adapts the lease to the other numbers: it is at most half of what the limit can hold, and left out where no lease is
    /// possible.
    pub(super) fn with_following_lease(numbers: Numbers) -> Result<Self, LimitError> {
        match Self::of(numbers) {
            Err(
                error @ (LimitError::LEASE_ELSEWHERE
                | LimitError::LEASE_TOO_LARGE
                | LimitError::BLOCK_WITH_LEASE),
            ) => Self::of(numbers.remedied(error)),
            limit => limit,
        }
    }

    /// The limit of numbers that may not fit together. It never admits more than these numbers say.
    pub(super) fn fitting(mut numbers: Numbers) -> Result<Self, LimitError> {
        for _ in 0..MOST_REMEDIES {
            match Self::of(numbers) {
                Ok(limit) => return Ok(limit),
                Err(error) => numbers = numbers.remedied(error),
            }
        }
        Self::of(numbers)
    }
}

impl Numbers {
    /// Ends a violation by other numbers, which admit at most as much. A time out of range becomes the nearest valid one, but no
    /// change can have such a time.
    fn remedied(self, error: LimitError) -> Self {
        match error {
            LimitError::TIME_ZERO => Self { time_ms: 1, ..self },
            LimitError::CALENDAR_ELSEWHERE => Self { calendar: None, ..self },
            LimitError::WAIT_FOR_CALENDAR => Self { wait_ms: 0, ..self },
            LimitError::TIME_TOO_LONG => Self { time_ms: MAX_TIME_MS, ..self },
            LimitError::LEASE_TOO_SHORT => Self { time_ms: MIN_LEASE_MS, ..self },
            LimitError::WAIT_TOO_LONG => Self { wait_ms: MAX_TIME_MS, ..self },
            LimitError::BURST_WITHOUT_BUCKET | LimitError::BURST_OF_QUEUE => {
                Self { burst: self.count, ..self }
            }
            LimitError::BUCKET_TOO_LARGE => self.with_count_up_to(MAX_BUCKET).with_capacity_up_to(MAX_BUCKET),
            LimitError::WINDOW_TOO_LARGE => self.with_count_up_to(MAX_WINDOW),
            LimitError::LOG_TOO_LARGE | LimitError::TOO_MANY_PERMITS => self.with_count_up_to(MAX_STORED),
            LimitError::REFILL_TOO_SLOW => self.with_capacity_up_to(self.units_in(MAX_TIME_MS)),
            LimitError::QUEUE_TOO_LARGE => self.with_fewer_waiting(),
            LimitError::NOT_EXACT => self.with_simple_numbers(),
            LimitError::BLOCK_ELSEWHERE => Self { block: Block::NONE, ..self },
            LimitError::LEASE_ELSEWHERE | LimitError::BLOCK_WITH_LEASE => {
                Self { lease: Lease::Most(0), ..self }
            }
            LimitError::LEASE_TOO_LARGE => {
                Self { lease: Lease::Most(self.burst.saturating_add(self.borrow) / 2), ..self }
            }
            // `Limit::of` has no other errors.
            _ => self,
        }
    }

    /// The burst of a limit that takes none follows with the next remedy.
    fn with_count_up_to(self, most: u32) -> Self {
        Self { count: self.count.min(most), ..self }
    }

    fn with_capacity_up_to(self, most: u32) -> Self {
        let burst = self.burst.min(most);
        Self { burst, borrow: self.borrow.min(most - burst), ..self }
    }

    /// Shortens `wait`. A queue keeps some of it: without any it would be a bucket, which admits more at once.
    fn with_fewer_waiting(self) -> Self {
        let most = u32::try_from(MAX_LEVEL).unwrap_or(u32::MAX);
        let (waiting, now) = if self.is_queue() {
            let places = most / 2 - 1;
            (places, self.with_count_up_to(places))
        } else {
            (most.saturating_sub(self.burst).saturating_sub(self.borrow), self)
        };
        Self { wait_ms: now.time_of(waiting), ..now }
    }

    /// Lowers the `count` of a window. Lowers the rate of a bucket to one unit in whole ms: a bucket that gets a unit or more in
    /// each ms is exact.
    fn with_simple_numbers(self) -> Self {
        if !self.algorithm.is_bucket() {
            let most = (EXACT - 1) / (4 * u128::from(self.time_ms));
            return self.with_count_up_to(u32::try_from(most).unwrap_or(u32::MAX));
        }
        Self { count: 1, time_ms: self.time_ms.div_ceil(u64::from(self.count)), ..self }
    }

    /// How many units come back in this time, rounded down.
    fn units_in(self, time_ms: u64) -> u32 {
        let units = u128::from(time_ms) * u128::from(self.count) / u128::from(self.time_ms);
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// The longest time in ms in which at most this many units come back.
    fn time_of(self, units: u32) -> u64 {
        let ms = u128::from(units) * u128::from(self.time_ms) / u128::from(self.count.max(1));
        u64::try_from(ms).unwrap_or(u64::MAX).min(MAX_TIME_MS)
    }
}

#[cfg(test)]
mod tests;
