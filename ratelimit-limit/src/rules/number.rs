//! `Number`: what a limit can be given beside its algorithm. Texts, tables, changes, the attribute and the manifest loop over the
//! numbers, so nothing else lists them.

use super::bounds::{MAX_BUCKET, MAX_TIME_MS, MIN_LEASE_MS};
use super::numbers::{Lease, Numbers};
use super::{LimitError, Zone};

listed! {
    /// A number of a limit. The order is that of the text of a limit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Number { Count, Time, Zone, Burst, Refill, Borrow, Wait, Lease, Block }
}

/// The values that a number takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Units,
    /// Units, or zero.
    UnitsOrZero,
    /// Units, or the word [`AUTO`].
    UnitsOrAuto,
    Time,
    /// A time, or the word of a calendar window.
    TimeOrCalendar,
    /// One time, or several times.
    Times,
    /// An offset from UTC.
    Offset,
    /// The name of a [`Refill`](crate::Refill).
    Refill,
}

impl Takes {
    /// Whether a whole number means seconds.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::TimeOrCalendar | Self::Times)
    }
}

/// The word for a lease whose size follows from the other numbers.
pub const AUTO: &str = "auto";

impl Number {
    /// The name in the attribute and in text, and the values.
    const fn row(self) -> (&'static str, Takes) {
        match self {
            Self::Count => ("count", Takes::Units),
            Self::Time => ("time", Takes::TimeOrCalendar),
            Self::Zone => ("zone", Takes::Offset),
            Self::Burst => ("burst", Takes::Units),
            Self::Refill => ("refill", Takes::Refill),
            Self::Borrow => ("borrow", Takes::UnitsOrZero),
            Self::Wait => ("wait", Takes::Time),
            Self::Lease => ("lease", Takes::UnitsOrAuto),
            Self::Block => ("block", Takes::Times),
        }
    }

    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    pub const fn takes(self) -> Takes {
        self.row().1
    }

    /// Finds the number with this name. `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.as_str() == name)
    }

    /// Returns `to` with this number of `from`. A `burst` that equals `count` follows it, and a `zone` goes with its calendar.
    pub const fn copy(self, from: &Numbers, to: Numbers) -> Numbers {
        match self {
            Self::Count => {
                let burst = if to.burst == to.count { from.count } else { to.burst };
                Numbers { count: from.count, burst, ..to }
            }
            Self::Time => {
                let zone = if from.calendar.is_some() { to.zone } else { Zone::UTC };
                Numbers { time_ms: from.time_ms, calendar: from.calendar, zone, ..to }
            }
            Self::Zone => Numbers { zone: from.zone, ..to },
            Self::Burst => Numbers { burst: from.burst, ..to },
            Self::Refill => Numbers { refill: from.refill, ..to },
            Self::Borrow => Numbers { borrow: from.borrow, ..to },
            Self::Wait => Numbers { wait_ms: from.wait_ms, ..to },
            Self::Lease => Numbers { lease: from.lease, ..to },
            Self::Block => Numbers { block: from.block, ..to },
        }
    }

    /// Whether the number has the value of a limit that does not name it.
    pub const fn is_plain(self, numbers: &Numbers) -> bool {
        match self {
            Self::Count | Self::Time => false,
            Self::Zone => numbers.zone.minutes() == 0,
            Self::Burst => numbers.burst == numbers.count,
            Self::Refill => !numbers.refills_by_interval(),
            Self::Borrow => numbers.borrow == 0,
            Self::Wait => numbers.wait_ms == 0,
            Self::Lease => matches!(numbers.lease, Lease::Most(0)),
            Self::Block => numbers.block.is_none(),
        }
    }

    /// Checks whether a limit takes this number beside its algorithm and the other numbers.
    pub const fn check_taken(self, numbers: &Numbers) -> Result<(), LimitError> {
        let (waits, is_taken) = (numbers.wait_ms > 0, numbers.algorithm.takes(self));
        let takes_calendar = numbers.algorithm.takes(Self::Zone);
        let (is_taken, error) = match self {
            Self::Count => return Ok(()),
            Self::Time => (numbers.calendar.is_none() || takes_calendar, LimitError::CALENDAR_ELSEWHERE),
            Self::Zone => (numbers.calendar.is_some(), LimitError::ZONE_WITHOUT_CALENDAR),
            Self::Burst if numbers.is_queue() => (false, LimitError::BURST_OF_QUEUE),
            Self::Burst => (is_taken, LimitError::BURST_WITHOUT_BUCKET),
            Self::Refill => (is_taken, LimitError::REFILL_WITHOUT_BUCKET),
            Self::Borrow => (is_taken, LimitError::BORROW_WITHOUT_BUCKET),
            Self::Wait if !waits || !takes_calendar => return Ok(()),
            Self::Wait => (numbers.calendar.is_none(), LimitError::WAIT_FOR_CALENDAR),
            // These two may be turned off on every limit.
            Self::Lease | Self::Block if self.is_plain(numbers) => return Ok(()),
            Self::Lease if numbers.algorithm.is_concurrency() => (false, LimitError::LEASE_OF_PERMITS),
            Self::Lease if !is_taken => (false, LimitError::LEASE_ELSEWHERE),
            Self::Lease if waits => (false, LimitError::LEASE_WITH_WAIT),
            Self::Lease => (numbers.block.is_none(), LimitError::BLOCK_WITH_LEASE),
            Self::Block => (is_taken, LimitError::BLOCK_ELSEWHERE),
        };
        if is_taken { Ok(()) } else { Err(error) }
    }

    /// Checks the bounds of this number. Its bounds together with other numbers are checked by `Limit::of`.
    pub const fn check(self, numbers: &Numbers) -> Result<(), LimitError> {
        let Numbers { algorithm, count, burst, borrow, time_ms, wait_ms, .. } = *numbers;
        let (is_wrong, error) = match self {
            Self::Count => (count > algorithm.most().0, algorithm.most().1),
            Self::Time if time_ms == 0 => (true, LimitError::TIME_ZERO),
            Self::Time if time_ms < MIN_LEASE_MS && algorithm.is_concurrency() => {
                (true, LimitError::LEASE_TOO_SHORT)
            }
            Self::Time => (time_ms > MAX_TIME_MS, LimitError::TIME_TOO_LONG),
            Self::Burst => (burst > MAX_BUCKET, LimitError::BUCKET_TOO_LARGE),
            Self::Borrow => (burst.saturating_add(borrow) > MAX_BUCKET, LimitError::BUCKET_TOO_LARGE),
            Self::Wait => (wait_ms > MAX_TIME_MS, LimitError::WAIT_TOO_LONG),
            Self::Zone | Self::Refill | Self::Lease | Self::Block => return Ok(()),
        };
        if is_wrong { Err(error) } else { Ok(()) }
    }
}

/// A set of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NumberSet(u16);

impl NumberSet {
    pub const EMPTY: Self = Self(0);

    pub const fn of(numbers: &[Number]) -> Self {
        let (mut set, mut at) = (Self::EMPTY, 0);
        while at < numbers.len() {
            set = set.with(numbers[at]);
            at += 1;
        }
        set
    }

    pub const fn with(self, number: Number) -> Self {
        Self(self.0 | 1 << number as u16)
    }

    pub const fn has(self, number: Number) -> bool {
        self.0 & 1 << number as u16 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Number> {
        Number::ALL.into_iter().filter(move |number| self.has(*number))
    }
}
