//! A change of a limit while the service runs: some of its numbers, or a whole limit in its place.

mod numbers;

pub(super) use numbers::{ChangedNumbers, Time};

use super::rules::block::Block;
use super::rules::numbers::{Lease, Numbers};
use super::{Calendar, Limit, LimitError, Refill};
use std::fmt;
use std::time::Duration;

/// The change that an override makes to a limit: some of its numbers, or all of it.
///
/// A number that the change does not name keeps its value in the code, for each call. A bucket whose burst is equal to its
/// `count` gets a new burst with a new `count`. `Overrides::set` stores a change.
///
/// ```
/// # use ratelimit_limit as ratelimit;
/// use ratelimit::{Limit, LimitChange};
/// use std::time::Duration;
///
/// let fewer = LimitChange::new().count(50);
/// assert_eq!("count=50".parse(), Ok(fewer));
///
/// let slower = LimitChange::new().count(50).time(Duration::from_secs(60));
/// assert_eq!(slower.to_string(), "count=50 time=1m");
///
/// // A limit replaces the limit in the code as a whole. A whole limit as text begins with its algorithm.
/// let whole = LimitChange::from(Limit::counter(50, Duration::from_secs(60)));
/// assert_eq!("counter count=50 time=1m".parse(), Ok(whole));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub struct LimitChange {
    /// Replaces the limit in the code.
    whole: Option<Limit>,
    numbers: ChangedNumbers,
}

impl LimitChange {
    /// A change without any numbers. The methods below add them.
    pub const fn new() -> Self {
        Self { whole: None, numbers: ChangedNumbers::NONE }
    }

    pub(super) const fn of(numbers: ChangedNumbers) -> Self {
        Self { whole: None, numbers }
    }

    /// Changes the number of units per `time`, or the number of permits. Zero refuses every call.
    pub const fn count(mut self, count: u32) -> Self {
        self.numbers.count = Some(count);
        self
    }

    /// Changes the window, the time of a refill, or the lease of a permit.
    pub const fn time(mut self, time: Duration) -> Self {
        self.numbers.time = Some(Time::Fixed(time));
        self
    }

    /// Changes the window of a counter to one of the calendar. A zone of the limit stays; to change it, parse a text such as
    /// `time=day zone=+01:00`.
    pub const fn calendar(mut self, window: Calendar) -> Self {
        self.numbers.time = Some(Time::Calendar(window));
        self
    }

    /// Changes the capacity of a bucket.
    pub const fn burst(mut self, burst: u32) -> Self {
        self.numbers.burst = Some(burst);
        self
    }

    /// Changes how tokens come back to a token bucket.
    pub const fn refill(mut self, refill: Refill) -> Self {
        self.numbers.refill = Some(refill);
        self
    }

    /// Changes how far a token bucket may go below zero.
    pub const fn borrow(mut self, borrow: u32) -> Self {
        self.numbers.borrow = Some(borrow);
        self
    }

    /// Changes how long a call may wait for its turn. Zero refuses it at once.
    pub const fn wait(mut self, wait: Duration) -> Self {
        self.numbers.wait = Some(wait);
        self
    }

    /// Changes how many units a process takes in advance. Zero turns leases off.
    pub const fn lease(mut self, units: u32) -> Self {
        self.numbers.lease = Some(Lease::Most(units));
        self
    }

    /// Lets a process take units in advance, up to a sixteenth of what the limit can hold.
    pub const fn lease_auto(mut self) -> Self {
        self.numbers.lease = Some(Lease::Auto);
        self
    }

    /// Changes how long a refused caller stays refused, as [`Limit::block`]. No steps turn blocks off.
    pub const fn block(mut self, steps: &[Duration]) -> Self {
        self.numbers.block = Some(Block::of(steps));
        self
    }

    /// The limit that replaces the limit in the code as a whole. `None` if the change only names numbers.
    pub const fn whole(&self) -> Option<&Limit> {
        self.whole.as_ref()
    }

    /// The limit that results from a limit in the code. Its lease is at most half of what it can hold. With a `wait`, it has
    /// no lease.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or if the algorithm does not take it.
    pub fn apply(&self, limit: &Limit) -> Result<Limit, LimitError> {
        let limit = self.whole.as_ref().unwrap_or(limit);
        if self.numbers == ChangedNumbers::NONE { Ok(*limit) } else { self.numbers.apply(limit.numbers) }
    }

    /// The part of a change that applies although [`apply`](Self::apply) refuses it. The limit never admits more than the change
    /// says, with one exception: a change from permits to another algorithm, or back, is left out unless it refuses every call.
    #[doc(hidden)]
    pub fn apply_what_fits(&self, limit: &Limit) -> Limit {
        let numbers = match &self.whole {
            Some(whole) if whole.is_concurrency() == limit.is_concurrency() => whole.numbers,
            Some(whole) if whole.refuses_all() => Numbers { count: 0, ..limit.numbers },
            _ => limit.numbers,
        };
        self.numbers.apply_what_fits(numbers).unwrap_or(*limit)
    }

    /// Checks what can be checked without the limit in the code. A whole limit with changed numbers becomes one limit.
    #[doc(hidden)]
    pub fn checked(self) -> Result<Self, LimitError> {
        match &self.whole {
            Some(limit) => self.apply(limit).map(Self::from),
            None => self.numbers.check().map(|()| self).map_err(LimitError::new),
        }
    }

    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        *self == Self::new()
    }
}

impl From<Limit> for LimitChange {
    fn from(limit: Limit) -> Self {
        Self { whole: Some(limit), numbers: ChangedNumbers::NONE }
    }
}

impl From<&Limit> for LimitChange {
    fn from(limit: &Limit) -> Self {
        Self::from(*limit)
    }
}

impl fmt::Display for LimitChange {
    /// Writes what [`str::parse`] reads: `count=50 time=1m`, or a whole limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.whole {
            None => self.numbers.fmt(f),
            Some(limit) if self.numbers == ChangedNumbers::NONE => limit.fmt(f),
            Some(limit) => write!(f, "{limit} {}", self.numbers),
        }
    }
}

#[cfg(test)]
mod tests;
