//! Changes of a limit while the service runs: a change replaces some numbers of the limit, or the whole limit.

mod numbers;

use super::constructors::whole_ms;
use super::rules::block::Block;
use super::rules::numbers::{Lease, Numbers};
use super::{Calendar, Limit, LimitError, Refill, Zone};
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub struct LimitChange {
    /// A limit that replaces the whole limit in the code. `None` if the change only names numbers.
    pub(crate) whole: Option<Limit>,
    pub(crate) count: Option<u32>,
    /// For a calendar window, the greatest length of that window.
    pub(crate) time_ms: Option<u64>,
    /// Set only together with `time_ms`.
    pub(crate) calendar: Option<Calendar>,
    pub(crate) zone: Option<Zone>,
    pub(crate) burst: Option<u32>,
    pub(crate) refill: Option<Refill>,
    pub(crate) borrow: Option<u32>,
    pub(crate) wait_ms: Option<u64>,
    pub(crate) lease: Option<Lease>,
    pub(crate) block: Option<Block>,
    /// The error of an invalid value, such as a fraction of a millisecond. If several values are invalid, the error of the last
    /// one.
    pub(crate) wrong: Option<LimitError>,
}

impl LimitChange {
    /// A change without any numbers. The methods below add them.
    pub const fn new() -> Self {
        Self {
            whole: None,
            count: None,
            time_ms: None,
            calendar: None,
            zone: None,
            burst: None,
            refill: None,
            borrow: None,
            wait_ms: None,
            lease: None,
            block: None,
            wrong: None,
        }
    }

    /// Changes the number of units per `time`, or the number of permits. Zero refuses every call.
    pub const fn count(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Changes the window, the time of a refill, or the lease of a permit.
    pub const fn time(self, time: Duration) -> Self {
        let Some(time_ms) = whole_ms(time) else {
            return Self { wrong: Some(LimitError::TIME_FRACTION), ..self };
        };
        Self { time_ms: Some(time_ms), calendar: None, ..self }
    }

    /// Changes the window of a counter to a calendar window. The limit keeps its zone. To change the zone, parse a text such as
    /// `time=day zone=+01:00`.
    pub const fn calendar(self, window: Calendar) -> Self {
        Self { time_ms: Some(window.longest_ms()), calendar: Some(window), ..self }
    }

    /// Changes the capacity of a bucket.
    pub const fn burst(self, burst: u32) -> Self {
        Self { burst: Some(burst), ..self }
    }

    /// Changes how tokens come back to a token bucket.
    pub const fn refill(self, refill: Refill) -> Self {
        Self { refill: Some(refill), ..self }
    }

    /// Changes how far a token bucket may go below zero.
    pub const fn borrow(self, borrow: u32) -> Self {
        Self { borrow: Some(borrow), ..self }
    }

    /// Changes how long a call may wait for its turn. With zero, a call that cannot pass now is refused at once.
    pub const fn wait(self, wait: Duration) -> Self {
        let Some(wait_ms) = whole_ms(wait) else {
            return Self { wrong: Some(LimitError::WAIT_FRACTION), ..self };
        };
        Self { wait_ms: Some(wait_ms), ..self }
    }

    /// Changes how many units a process takes in advance. Zero turns leases off.
    pub const fn lease(self, units: u32) -> Self {
        Self { lease: Some(Lease::Most(units)), ..self }
    }

    /// Lets a process take units in advance, up to a sixteenth of what the limit can hold.
    pub const fn lease_auto(self) -> Self {
        Self { lease: Some(Lease::Auto), ..self }
    }

    /// Changes how long a refused caller stays refused; see [`Limit::block`]. An empty slice turns blocks off.
    pub const fn block(self, steps: &[Duration]) -> Self {
        match Block::of(steps) {
            Ok(block) => Self { block: Some(block), ..self },
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
        let algorithm = numbers.algorithm;
        let taken = Self {
            zone: self.zone.filter(|_| self.window(&numbers).is_some()),
            refill: self.refill.filter(|_| algorithm.check_takes_refill().is_ok()),
            borrow: self.borrow.filter(|_| algorithm.check_takes_borrow().is_ok()),
            ..*self
        };
        taken.changed(numbers).and_then(Limit::fitting).unwrap_or(*limit)
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
