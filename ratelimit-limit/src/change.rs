//! A change of a limit while the service runs: some of its numbers, or a whole limit in its place.

use super::constructors::whole_ms;
use super::rules::block::Block;
use super::rules::bounds::{check_bucket, check_wait};
use super::rules::numbers::{Lease, Numbers};
use super::rules::{Violation, Window, duration};
use super::{Algorithm, Calendar, Limit, LimitError, Refill, Zone};
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
/// // A limit replaces the limit in the code as a whole. As text it begins with its algorithm.
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

/// The numbers that a change names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ChangedNumbers {
    pub(super) count: Option<u32>,
    pub(super) time: Option<Time>,
    pub(super) zone: Option<Zone>,
    pub(super) burst: Option<u32>,
    pub(super) refill: Option<Refill>,
    pub(super) borrow: Option<u32>,
    pub(super) wait: Option<Duration>,
    pub(super) lease: Option<Lease>,
    pub(super) block: Option<Result<Block, Violation>>,
}

/// A new `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Time {
    Fixed(Duration),
    Calendar(Calendar),
}

impl LimitChange {
    /// A change of nothing. Add what it changes.
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

    /// Lets a process take a sixteenth of what the limit can hold in advance.
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

    /// The limit that results from a limit in the code. Its lease is at most half of what it can hold, and none with a `wait`.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or if the algorithm does not take it.
    pub fn apply(&self, limit: &Limit) -> Result<Limit, LimitError> {
        let limit = self.whole.as_ref().unwrap_or(limit);
        if self.numbers == ChangedNumbers::NONE { Ok(*limit) } else { self.numbers.apply(limit.numbers) }
    }

    /// The part of a change that applies although [`apply`](Self::apply) refuses it. The limit never admits more than the change says, except that
    /// a whole limit that replaces permits, or is replaced by them, is left out unless it refuses every call.
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

impl ChangedNumbers {
    const NONE: Self = Self {
        count: None,
        time: None,
        zone: None,
        burst: None,
        refill: None,
        borrow: None,
        wait: None,
        lease: None,
        block: None,
    };

    pub(super) fn apply(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let changed = self.changed(numbers).map_err(LimitError::new)?;
        self.check_taken(&changed).map_err(LimitError::new)?;
        Limit::with_following_lease(changed)
    }

    /// Leaves out what the algorithm does not take.
    fn apply_what_fits(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let algorithm = numbers.algorithm;
        let taken = Self {
            zone: self.zone.filter(|_| self.window(&numbers).is_some()),
            refill: self.refill.filter(|_| algorithm.check_takes_refill().is_ok()),
            borrow: self.borrow.filter(|_| algorithm.check_takes_borrow().is_ok()),
            block: self.block.filter(|_| algorithm.check_takes_block().is_ok()),
            ..*self
        };
        Limit::fitting(taken.changed(numbers).map_err(LimitError::new)?)
    }

    fn changed(&self, numbers: Numbers) -> Result<Numbers, Violation> {
        let count = self.count.unwrap_or(numbers.count);
        let follows = if numbers.burst == numbers.count { count } else { numbers.burst };
        let window = self.window(&numbers);
        if self.zone.is_some() && window.is_none() {
            return Err(Violation::ZoneWithoutCalendar);
        }
        Ok(Numbers {
            algorithm: numbers.algorithm,
            calendar: window,
            count,
            burst: self.burst.unwrap_or(follows),
            refill: self.refill.unwrap_or(numbers.refill),
            borrow: self.borrow.unwrap_or(numbers.borrow),
            time_ms: match window {
                Some(window) => window.calendar.longest_ms(),
                None => self.time_ms()?.unwrap_or(numbers.time_ms),
            },
            wait_ms: self.wait_ms()?.unwrap_or(numbers.wait_ms),
            lease: self.lease.unwrap_or(numbers.lease),
            block: self.block.transpose()?.unwrap_or(numbers.block),
        })
    }

    /// The window of the calendar after the change.
    fn window(&self, numbers: &Numbers) -> Option<Window> {
        let zone = self.zone.or_else(|| numbers.calendar.map(|window| window.zone)).unwrap_or(Zone::UTC);
        let calendar = match self.time {
            Some(Time::Calendar(calendar)) => Some(calendar),
            Some(Time::Fixed(_)) => None,
            None => numbers.calendar(),
        };
        calendar.map(|calendar| Window { calendar, zone })
    }

    /// Checks each number by itself.
    fn check(&self) -> Result<(), Violation> {
        // These two take every number that another algorithm takes, and have the largest bounds.
        let is_bucket = self.burst.is_some() || self.refill.is_some() || self.borrow.is_some();
        let algorithm = if is_bucket { Algorithm::TokenBucket } else { Algorithm::Counter };
        let (time_ms, wait_ms) = (self.time_ms()?, self.wait_ms()?);
        match self.time {
            Some(Time::Calendar(_)) => {
                algorithm.check_takes_calendar(wait_ms.is_some_and(|wait_ms| wait_ms > 0))?;
            }
            Some(Time::Fixed(_)) if self.zone.is_some() => return Err(Violation::ZoneWithoutCalendar),
            _ => {}
        }
        time_ms.map_or(Ok(()), |time_ms| algorithm.check_time(time_ms))?;
        wait_ms.map_or(Ok(()), check_wait)?;
        self.count.map_or(Ok(()), |count| algorithm.check_count(count))?;
        check_bucket(self.burst.unwrap_or(0).saturating_add(self.borrow.unwrap_or(0)))?;
        self.block.transpose()?;
        match self.lease {
            None | Some(Lease::Most(0)) => Ok(()),
            Some(_) => algorithm.check_takes_lease(wait_ms.is_some_and(|wait_ms| wait_ms > 0)),
        }
    }

    /// Checks whether the algorithm takes the numbers that the change names.
    fn check_taken(&self, changed: &Numbers) -> Result<(), Violation> {
        let Numbers { algorithm, wait_ms, .. } = changed;
        self.burst.map_or(Ok(()), |_| algorithm.check_takes_burst(*wait_ms > 0))?;
        self.refill.map_or(Ok(()), |_| algorithm.check_takes_refill())?;
        self.borrow.map_or(Ok(()), |_| algorithm.check_takes_borrow())?;
        if changed.block.is_none() { Ok(()) } else { algorithm.check_takes_block() }?;
        match self.lease {
            None | Some(Lease::Most(0)) => Ok(()),
            Some(_) if !changed.block.is_none() => Err(Violation::BlockWithLease),
            Some(_) => algorithm.check_takes_lease(*wait_ms > 0),
        }
    }

    fn time_ms(&self) -> Result<Option<u64>, Violation> {
        match self.time {
            Some(Time::Fixed(time)) => whole_ms(time).map(Some).ok_or(Violation::TimeFraction),
            Some(Time::Calendar(_)) | None => Ok(None),
        }
    }

    fn wait_ms(&self) -> Result<Option<u64>, Violation> {
        self.wait.map(|wait| whole_ms(wait).ok_or(Violation::WaitFraction)).transpose()
    }
}

impl fmt::Display for LimitChange {
    /// Writes what [`str::parse`] reads: `count=50 time=1m`, or a whole limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChangedNumbers { count, time, zone, burst, refill, borrow, wait, lease, block } = &self.numbers;
        let show = |time: Duration| duration::show(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let words = [
            self.whole.map(|limit| limit.to_string()),
            count.map(|count| format!("count={count}")),
            time.map(|time| match time {
                Time::Fixed(time) => format!("time={}", show(time)),
                Time::Calendar(calendar) => format!("time={}", calendar.as_str()),
            }),
            zone.map(|zone| format!("zone={zone}")),
            burst.map(|burst| format!("burst={burst}")),
            refill.map(|refill| {
                format!("refill={}", if refill == Refill::Interval { "interval" } else { "greedy" })
            }),
            borrow.map(|borrow| format!("borrow={borrow}")),
            wait.map(|wait| format!("wait={}", show(wait))),
            lease.map(|lease| match lease {
                Lease::Most(units) => format!("lease={units}"),
                Lease::Auto => "lease=auto".to_owned(),
            }),
            block.and_then(Result::ok).map(|block| format!("block={block}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests;
