//! Changes of a limit while the service runs: a change replaces some numbers of the limit, or the whole limit.

use super::constructors::whole_ms;
use super::rules::block::Block;
use super::rules::numbers::{Lease, Numbers};
use super::rules::{Number, NumberSet};
use super::{Algorithm, Calendar, Limit, LimitError, Refill};
use std::time::Duration;

/// The change that an override makes to a limit: new values for some numbers, or a whole new limit.
///
/// A number that the change does not name keeps the value that the code gives at each call. If the burst of a bucket equals its
/// `count`, a new `count` is also its new burst. `Overrides::set` stores a change.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct LimitChange {
    /// A limit that replaces the whole limit in the code. `None` if the change only names numbers.
    whole: Option<Limit>,
    pub(crate) given: NumberSet,
    /// The given numbers. All others are those of an empty change.
    pub(crate) numbers: Numbers,
    /// The error of an invalid value, such as a fraction of a millisecond. If several values are invalid, the error of the last
    /// one.
    wrong: Option<LimitError>,
}

impl Default for LimitChange {
    fn default() -> Self {
        Self::new()
    }
}

impl LimitChange {
    /// A change without any numbers. The methods below add them.
    pub const fn new() -> Self {
        let numbers = Numbers::new(Algorithm::Counter, 0, 0);
        Self { whole: None, given: NumberSet::EMPTY, numbers, wrong: None }
    }

    const fn with(self, number: Number, numbers: Numbers) -> Self {
        Self { given: self.given.with(number), numbers, ..self }
    }

    /// Changes the number of units per `time`, or the number of permits. Zero refuses every call.
    pub const fn count(self, count: u32) -> Self {
        self.with(Number::Count, Numbers { count, ..self.numbers })
    }

    /// Changes the window, the time of a refill, or the lease of a permit.
    pub const fn time(self, time: Duration) -> Self {
        let Some(time_ms) = whole_ms(time) else {
            return Self { wrong: Some(LimitError::TIME_FRACTION), ..self };
        };
        self.with(Number::Time, Numbers { time_ms, calendar: None, ..self.numbers })
    }

    /// Changes the window of a counter to a calendar window. The limit keeps its zone. To change the zone, parse a text such as
    /// `time=day zone=+01:00`.
    pub const fn calendar(self, window: Calendar) -> Self {
        let time_ms = window.longest_ms();
        self.with(Number::Time, Numbers { time_ms, calendar: Some(window), ..self.numbers })
    }

    /// Changes the capacity of a bucket.
    pub const fn burst(self, burst: u32) -> Self {
        self.with(Number::Burst, Numbers { burst, ..self.numbers })
    }

    /// Changes how tokens come back to a token bucket.
    pub const fn refill(self, refill: Refill) -> Self {
        self.with(Number::Refill, Numbers { refill, ..self.numbers })
    }

    /// Changes how far a token bucket may go below zero.
    pub const fn borrow(self, borrow: u32) -> Self {
        self.with(Number::Borrow, Numbers { borrow, ..self.numbers })
    }

    /// Changes how long a call may wait for its turn. With zero, a call that cannot pass now is refused at once.
    pub const fn wait(self, wait: Duration) -> Self {
        let Some(wait_ms) = whole_ms(wait) else {
            return Self { wrong: Some(LimitError::WAIT_FRACTION), ..self };
        };
        self.with(Number::Wait, Numbers { wait_ms, ..self.numbers })
    }

    /// Changes how many units a process takes in advance. Zero turns leases off.
    pub const fn lease(self, units: u32) -> Self {
        self.with(Number::Lease, Numbers { lease: Lease::Most(units), ..self.numbers })
    }

    /// Lets a process take units in advance, up to a sixteenth of what the limit can hold.
    pub const fn lease_auto(self) -> Self {
        self.with(Number::Lease, Numbers { lease: Lease::Auto, ..self.numbers })
    }

    /// Changes how long a refused caller stays refused; see [`Limit::block`]. An empty slice turns blocks off.
    pub const fn block(self, steps: &[Duration]) -> Self {
        match Block::of(steps) {
            Ok(block) => self.with(Number::Block, Numbers { block, ..self.numbers }),
            Err(error) => Self { wrong: Some(error), ..self },
        }
    }

    /// Returns the limit that replaces the whole limit in the code. `None` if the change only names numbers.
    pub const fn whole(&self) -> Option<&Limit> {
        self.whole.as_ref()
    }

    /// Returns the limit that results from applying the change to a limit in the code. The lease of the result is at most half of
    /// what the result can hold. A result with a `wait` has no lease.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or if the algorithm does not take it.
    pub fn apply(&self, limit: &Limit) -> Result<Limit, LimitError> {
        let limit = self.whole.as_ref().unwrap_or(limit);
        if self.names_numbers() { self.applied_to(limit.numbers) } else { Ok(*limit) }
    }

    /// Applies the valid part of a change for which [`apply`](Self::apply) returns an error. The result admits at most what a
    /// checked change would admit, with one exception: a whole limit that would turn permits into another algorithm, or another
    /// algorithm into permits, is ignored. But if that whole limit refuses every call, the result refuses every call, too.
    #[doc(hidden)]
    pub fn apply_what_fits(&self, limit: &Limit) -> Limit {
        let numbers = match &self.whole {
            Some(whole) if whole.is_concurrency() == limit.is_concurrency() => whole.numbers,
            Some(whole) if whole.refuses_all() => Numbers { count: 0, ..limit.numbers },
            _ => limit.numbers,
        };
        self.changed(numbers).and_then(Limit::fitting).unwrap_or(*limit)
    }

    /// Checks the change. The limit in the code is unknown, so rules that need its numbers are not checked. If the change is a
    /// whole limit with changed numbers, returns one whole limit that contains them.
    #[doc(hidden)]
    pub fn checked(self) -> Result<Self, LimitError> {
        match &self.whole {
            Some(limit) => self.apply(limit).map(Self::from),
            None => self.check_alone().map(|()| self),
        }
    }

    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        *self == Self::new()
    }

    fn names_numbers(&self) -> bool {
        *self != Self { whole: self.whole, ..Self::new() }
    }

    /// Applies the change to these numbers, and returns the resulting limit.
    pub(crate) fn applied_to(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let changed = self.changed(numbers)?;
        self.given.iter().try_for_each(|number| number.check_taken(&changed))?;
        Limit::with_following_lease(changed)
    }

    fn changed(&self, numbers: Numbers) -> Result<Numbers, LimitError> {
        self.wrong.map_or(Ok(()), Err)?;
        Ok(self.given.iter().fold(numbers, |changed, number| number.copy(&self.numbers, changed)))
    }

    /// Checks the change without the limit in the code: applies it to a limit with an algorithm that takes the changed numbers.
    /// Rules between several numbers are not checked, because the other numbers of the limit in the code are unknown.
    fn check_alone(&self) -> Result<(), LimitError> {
        let takes_all = |algorithm: &Algorithm| self.given.iter().all(|number| algorithm.takes(number));
        let algorithm = Algorithm::ALL.into_iter().find(takes_all).unwrap_or(Algorithm::TokenBucket);
        let has_zone = self.given.has(Number::Zone) && !self.given.has(Number::Time);
        let calendar = has_zone.then_some(Calendar::Hour);
        match self.applied_to(Numbers { calendar, ..Numbers::new(algorithm, 1, 1) }) {
            Ok(_)
            | Err(LimitError::QUEUE_TOO_LARGE | LimitError::REFILL_TOO_SLOW | LimitError::NOT_EXACT) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

impl From<Limit> for LimitChange {
    fn from(limit: Limit) -> Self {
        Self { whole: Some(limit), ..Self::new() }
    }
}

impl From<&Limit> for LimitChange {
    fn from(limit: &Limit) -> Self {
        Self::from(*limit)
    }
}

#[cfg(test)]
mod tests;
