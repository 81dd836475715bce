//! Applies the numbers of a change to a limit, checks them, and writes a change as text.

use crate::rules::numbers::{Lease, Numbers};
use crate::rules::{Window, duration};
use crate::{Algorithm, Calendar, Limit, LimitChange, LimitError, Zone};
use std::fmt;

impl LimitChange {
    /// Applies the change to these numbers, and returns the resulting limit.
    pub(crate) fn applied_to(&self, numbers: Numbers) -> Result<Limit, LimitError> {
        let changed = self.changed(numbers)?;
        self.check_taken(&changed)?;
        Limit::with_following_lease(changed)
    }

    pub(super) fn changed(&self, numbers: Numbers) -> Result<Numbers, LimitError> {
        let count = self.count.unwrap_or(numbers.count);
        let follows = if numbers.burst == numbers.count { count } else { numbers.burst };
        let window = self.window(&numbers);
        if self.zone.is_some() && window.is_none() {
            return Err(LimitError::ZONE_WITHOUT_CALENDAR);
        }
        self.wrong.map_or(Ok(()), Err)?;
        Ok(Numbers {
            algorithm: numbers.algorithm,
            calendar: window,
            count,
            burst: self.burst.unwrap_or(follows),
            refill: self.refill.unwrap_or(numbers.refill),
            borrow: self.borrow.unwrap_or(numbers.borrow),
            time_ms: self.time_ms.unwrap_or(numbers.time_ms),
            wait_ms: self.wait_ms.unwrap_or(numbers.wait_ms),
            lease: self.lease.unwrap_or(numbers.lease),
            block: self.block.unwrap_or(numbers.block),
        })
    }

    /// Returns the calendar window of the changed limit. `None` if that limit has no calendar window.
    pub(super) fn window(&self, numbers: &Numbers) -> Option<Window> {
        let zone = self.zone.or_else(|| numbers.calendar.map(|window| window.zone)).unwrap_or(Zone::UTC);
        let before = numbers.calendar.map(|window| window.calendar);
        let calendar = if self.time_ms.is_some() { self.calendar } else { before };
        calendar.map(|calendar| Window { calendar, zone })
    }

    /// Checks the change without the limit in the code: applies it to a limit with an algorithm that takes the changed numbers.
    /// Rules between several numbers are not checked, because the other numbers of the limit in the code are unknown.
    pub(super) fn check_alone(&self) -> Result<(), LimitError> {
        let is_bucket = self.burst.is_some() || self.refill.is_some() || self.borrow.is_some();
        let algorithm = if is_bucket { Algorithm::TokenBucket } else { Algorithm::Counter };
        let calendar = self.zone.filter(|_| self.time_ms.is_none());
        let calendar = calendar.map(|zone| Window { calendar: Calendar::Hour, zone });
        match self.applied_to(Numbers { calendar, ..Numbers::new(algorithm, 1, 1) }) {
            Ok(_)
            | Err(LimitError::QUEUE_TOO_LARGE | LimitError::REFILL_TOO_SLOW | LimitError::NOT_EXACT) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Checks whether the algorithm takes the numbers that the change names.
    fn check_taken(&self, changed: &Numbers) -> Result<(), LimitError> {
        let Numbers { algorithm, wait_ms, .. } = changed;
        self.burst.map_or(Ok(()), |_| algorithm.check_takes_burst(*wait_ms > 0))?;
        self.refill.map_or(Ok(()), |_| algorithm.check_takes_refill())?;
        self.borrow.map_or(Ok(()), |_| algorithm.check_takes_borrow())?;
        match self.lease {
            None | Some(Lease::Most(0)) => Ok(()),
            Some(_) if !changed.block.is_none() => Err(LimitError::BLOCK_WITH_LEASE),
            Some(_) => algorithm.check_takes_lease(*wait_ms > 0),
        }
    }
}

impl fmt::Display for LimitChange {
    /// Writes the text that [`str::parse`] reads: `count=50 time=1m`, or a whole limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.whole.map(|limit| limit.to_string()),
            self.count.map(|count| format!("count={count}")),
            self.time_ms.map(|ms| format!("time={}", duration::show_time(ms, self.calendar))),
            self.zone.map(|zone| format!("zone={zone}")),
            self.burst.map(|burst| format!("burst={burst}")),
            self.refill.map(|refill| format!("refill={}", refill.as_str())),
            self.borrow.map(|borrow| format!("borrow={borrow}")),
            self.wait_ms.map(|ms| format!("wait={}", duration::show(ms))),
            self.lease.map(|lease| match lease {
                Lease::Most(units) => format!("lease={units}"),
                Lease::Auto => "lease=auto".to_owned(),
            }),
            self.block.map(|block| format!("block={block}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(&words.join(" "))
    }
}
