//! Adapts numbers that do not fit together, when a lease or an override sets them at run time.

use super::rules::Number;
use super::rules::bounds::{EXACT, MAX_BUCKET, MAX_LEVEL, MAX_TIME_MS, MIN_LEASE_MS};
use super::rules::numbers::{Lease, Numbers};
use super::{Limit, LimitError};

/// The maximum number of corrections. Each correction removes one violation, but its new numbers may violate another rule. No
/// numbers need as many corrections as this.
const MOST_REMEDIES: usize = 8;

impl Limit {
    /// Adds a lease of at most `units`, and at most half of what the limit can hold.
    #[doc(hidden)]
    pub fn with_lease_up_to(self, units: u32) -> Result<Self, LimitError> {
        Self::with_following_lease(Numbers { lease: Lease::Most(units), ..self.numbers })
    }

    /// Adapts the lease to the other numbers. The lease becomes at most half of what the limit can hold, and is removed if the
    /// limit cannot have a lease.
    pub(super) fn with_following_lease(mut numbers: Numbers) -> Result<Self, LimitError> {
        if Number::Lease.check_taken(&numbers).is_err() {
            numbers.lease = Lease::Most(0);
        }
        match Self::of(numbers) {
            Err(error @ LimitError::LEASE_TOO_LARGE) => Self::of(numbers.remedied(error)),
            limit => limit,
        }
    }

    /// Makes a limit from numbers that may not fit together. The limit admits at most what these numbers say, with one exception:
    /// a time out of range becomes the nearest valid time, which may admit more.
    pub(super) fn fitting(numbers: Numbers) -> Result<Self, LimitError> {
        let mut numbers = numbers.taken();
        for _ in 0..MOST_REMEDIES {
            match Self::of(numbers) {
                Ok(limit) => return Ok(limit),
                Err(error) => numbers = numbers.remedied(error).taken(),
            }
        }
        Self::of(numbers)
    }
}

impl Numbers {
    /// Leaves out the numbers that the limit does not take.
    fn taken(self) -> Self {
        Number::ALL.into_iter().fold(self, |numbers, number| match number.check_taken(&numbers) {
            Ok(()) => numbers,
            Err(_) => number.copy(&Self::new(numbers.algorithm, numbers.count, numbers.time_ms), numbers),
        })
    }

    /// Removes a violation by lowering or dropping numbers, so that the limit admits at most as much. A time out of range becomes
    /// the nearest valid time. Only a change that was not checked can have such a time.
    fn remedied(self, error: LimitError) -> Self {
        match error {
            LimitError::TIME_ZERO => Self { time_ms: 1, ..self },
            LimitError::TIME_TOO_LONG => Self { time_ms: MAX_TIME_MS, ..self },
            LimitError::LEASE_TOO_SHORT => Self { time_ms: MIN_LEASE_MS, ..self },
            LimitError::WAIT_TOO_LONG => Self { wait_ms: MAX_TIME_MS, ..self },
            LimitError::BUCKET_TOO_LARGE => self.with_count_up_to(MAX_BUCKET).with_capacity_up_to(MAX_BUCKET),
            LimitError::REFILL_TOO_SLOW => self.with_capacity_up_to(self.units_in(MAX_TIME_MS)),
            LimitError::QUEUE_TOO_LARGE => self.with_fewer_waiting(),
            LimitError::NOT_EXACT => self.with_simple_numbers(),
            LimitError::LEASE_TOO_LARGE => {
                Self { lease: Lease::Most(self.burst.saturating_add(self.borrow) / 2), ..self }
            }
            // `Limit::of` has no other error of numbers that the limit takes.
            _ => self.with_count_up_to(self.algorithm.most().0),
        }
    }

    /// Lowers `count`, but not the `burst` of a bucket.
    fn with_count_up_to(self, most: u32) -> Self {
        Self { count: self.count.min(most), ..self }
    }

    fn with_capacity_up_to(self, most: u32) -> Self {
        let burst = self.burst.min(most);
        Self { burst, borrow: self.borrow.min(most - burst), ..self }
    }

    /// Shortens `wait`. A queue always keeps some `wait`. Without a `wait`, it would become a bucket, which admits more calls at
    /// once.
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

    /// Lowers the `count` of a window. For a bucket, lowers the rate to one unit per whole number of milliseconds. A bucket that
    /// gains at least one unit in each millisecond never has this violation, because it counts exactly.
    fn with_simple_numbers(self) -> Self {
        if !self.algorithm.is_bucket() {
            let most = (EXACT - 1) / (4 * u128::from(self.time_ms));
            return self.with_count_up_to(u32::try_from(most).unwrap_or(u32::MAX));
        }
        Self { count: 1, time_ms: self.time_ms.div_ceil(u64::from(self.count)), ..self }
    }

    /// The number of units that come back in this time, rounded down.
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
