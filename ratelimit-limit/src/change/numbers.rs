//! `ChangedNumbers`: the numbers that a change names, and what they make of a limit.

use crate::constructors::whole_ms;
use crate::rules::block::Block;
use crate::rules::bounds::{check_bucket, check_wait};
use crate::rules::numbers::{Lease, Numbers};
use crate::rules::{Violation, Window, duration};
use crate::{Algorithm, Calendar, Limit, LimitError, Refill, Zone};
use std::fmt;
use std::time::Duration;

/// The numbers that a change names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ChangedNumbers {
    pub(crate) count: Option<u32>,
    pub(crate) time: Option<Time>,
    pub(crate) zone: Option<Zone>,
    pub(crate) burst: Option<u32>,
    pub(crate) refill: Option<Refill>,
    pub(crate) borrow: Option<u32>,
    pub(crate) wait: Option<Duration>,
    pub(crate) lease: Option<Lease>,
    pub(crate) block: Option<Result<Block, Violation>>,
}

/// A new `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Time {
    Fixed(Duration),
    Calendar(Calendar),
}

impl ChangedNumbers {
    pub(super) const NONE: Self = Self {
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

    pub(crate) fn apply(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let changed = self.changed(numbers).map_err(LimitError::new)?;
        self.check_taken(&changed).map_err(LimitError::new)?;
        Limit::with_following_lease(changed)
    }

    /// Leaves out what the algorithm does not take.
    pub(super) fn apply_what_fits(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let algorithm = numbers.algorithm;
        let taken = Self {
            zone: self.zone.filter(|_| self.window(&numbers).is_some()),
            refill: self.refill.filter(|_| algorithm.check_takes_refill().is_ok()),
            borrow: self.borrow.filter(|_| algorithm.check_takes_borrow().is_ok()),
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
    pub(super) fn check(&self) -> Result<(), Violation> {
        // Together, these two algorithms accept every number that another one accepts, and their
        // bounds are the largest.
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

impl fmt::Display for ChangedNumbers {
    /// Writes what [`str::parse`] reads: `count=50 time=1m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChangedNumbers { count, time, zone, burst, refill, borrow, wait, lease, block } = self;
        let show = |time: Duration| duration::show(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let words = [
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
