//! The algorithms, defined by the rows of one limit.
//!
//! | algorithm | a row | `id` | `units` | `at` |
//! |---|---|---|---|---|
//! | counter | the window | its end | units used in it | its end |
//! | bucket | the level | `time`, in ms | units in use, times `time` | when they were counted |
//! | sliding log | a charge | its time, in µs | its units | its time, in µs |
//! | concurrency | a permit | its id | its units | the end of its lease |

use crate::Now;
use ratelimit::{Algorithm, Decision, Limit};
use std::time::Duration;

/// A row of the table. Times are in ms, except where the table above says µs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) units: i64,
    pub(crate) at: i64,
}

/// The rows of a limit that still count.
#[derive(Debug)]
pub(crate) struct Rows {
    limit: Limit,
    now: Now,
    list: Vec<Row>,
}

/// The values of a decision. Times are in ms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    /// The time until the call passes. `None` means never.
    wait: Option<i64>,
    remaining: i64,
    reset: i64,
    stamp: u64,
}

impl Judged {
    pub(crate) fn passes(&self) -> bool {
        self.wait == Some(0)
    }

    pub(crate) fn decision(&self, limit: &Limit) -> Decision {
        let ms = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        let remaining = u32::try_from(self.remaining.max(0)).unwrap_or(u32::MAX);
        if self.passes() {
            return Decision::allow(limit, remaining, ms(self.reset)).in_turn(Duration::ZERO, self.stamp);
        }
        Decision::refuse(limit, remaining, self.wait.map(ms), ms(self.reset))
    }
}

fn ceil_div(parts: i64, by: i64) -> i64 {
    parts.div_euclid(by) + i64::from(parts.rem_euclid(by) > 0)
}

impl Rows {
    /// Removes rows that no longer count, and lets a bucket leak.
    pub(crate) fn new(limit: Limit, now: Now, rows: Vec<Row>) -> Self {
        let mut this = Self { limit, now, list: rows };
        let (time, count) = (this.time(), i64::from(limit.count()));
        match limit.algorithm() {
            Algorithm::SlidingLog => this.list.retain(|row| row.at + 1000 * time > now.us),
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                for row in &mut this.list {
                    let level = i128::from(row.units) * i128::from(time) / i128::from(row.id);
                    let leaked = i128::from((now.ms - row.at).max(0)) * i128::from(count);
                    let left = i64::try_from((level - leaked).max(0)).unwrap_or(i64::MAX);
                    *row = Row { id: time, units: left, at: now.ms.max(row.at) };
                }
                this.list.retain(|row| row.units > 0);
            }
            _ => this.list.retain(|row| row.at > now.ms),
        }
        this
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.list
    }

    /// Returns the time in ms at which the limit is as if it had never been used. Its rows can then be deleted. The time is
    /// 1 ms later than necessary, because a log counts in µs.
    pub(crate) fn expires(&self) -> i64 {
        self.now.ms + self.reset() + 1
    }

    pub(crate) const fn now_ms(&self) -> i64 {
        self.now.ms
    }

    fn time(&self) -> i64 {
        i64::try_from(self.limit.time().as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns the length of a window that begins now. A calendar window ends by the clock of the store, which shows the
    /// time since 1970.
    fn window(&self) -> i64 {
        let now = Duration::from_millis(u64::try_from(self.now.ms).unwrap_or(0));
        let left = self.limit.until_window_ends(now).unwrap_or(self.limit.time());
        i64::try_from(left.as_millis()).unwrap_or(i64::MAX)
    }

    fn is_bucket(&self) -> bool {
        matches!(self.limit.algorithm(), Algorithm::TokenBucket | Algorithm::LeakyBucket)
    }

    /// Returns the units in use. For a bucket, they are multiplied by `time`.
    fn used(&self) -> i64 {
        self.list.iter().map(|row| row.units).sum()
    }

    /// Converts units to the unit of [`used`](Self::used).
    fn parts(&self, units: u32) -> i64 {
        i64::from(units) * if self.is_bucket() { self.time() } else { 1 }
    }

    /// Returns the free units, rounded down. Negative if more than the capacity is in use.
    fn room(&self) -> i64 {
        let free = self.parts(self.limit.capacity()) - self.used();
        if self.is_bucket() { free.div_euclid(self.time()) } else { free }
    }

    /// Returns the time until nothing is in use.
    fn reset(&self) -> i64 {
        let last = self.list.iter().map(|row| row.at).max();
        match (self.limit.algorithm(), last) {
            (_, None) => 0,
            (Algorithm::SlidingLog, Some(last)) => ceil_div(last + 1000 * self.time() - self.now.us, 1000),
            (Algorithm::TokenBucket | Algorithm::LeakyBucket, Some(_)) => self.until_leaked(self.used()),
            (_, Some(last)) => last - self.now.ms,
        }
    }

    fn until_leaked(&self, parts: i64) -> i64 {
        ceil_div(parts.max(0), i64::from(self.limit.count()).max(1))
    }

    /// Judges a call that leaves `keep` units to others. Charges nothing.
    pub(crate) fn judge(&self, cost: u32, keep: u32) -> Judged {
        let closed = self.limit.count() == 0 || self.limit.capacity() == 0;
        if closed {
            return Judged { wait: None, remaining: 0, reset: 0, stamp: 0 };
        }
        let needed = cost.checked_add(keep).filter(|needed| *needed <= self.limit.capacity());
        let over = needed.map(|needed| self.used() + self.parts(needed) - self.parts(self.limit.capacity()));
        let wait = match (self.limit.algorithm(), over) {
            (_, None) => None,
            (_, Some(over)) if over <= 0 => Some(0),
            (Algorithm::TokenBucket | Algorithm::LeakyBucket, Some(over)) => Some(self.until_leaked(over)),
            (Algorithm::SlidingLog, Some(over)) => Some(self.until_old_enough(over)),
            // The time until the window or the first lease ends.
            _ => self.list.iter().map(|row| row.at - self.now.ms).min(),
        };
        Judged { wait, remaining: self.room(), reset: self.reset(), stamp: 0 }
    }

    /// Returns the time until `over` units of a log no longer count.
    fn until_old_enough(&self, over: i64) -> i64 {
        let mut before = 0;
        let enough = self.list.iter().find(|row| {
            before += row.units;
            before >= over
        });
        enough.map_or(0, |row| ceil_div(row.at + 1000 * self.time() - self.now.us, 1000))
    }

    /// Returns the decision about a call that was charged.
    pub(crate) fn after_charge(&self, stamp: u64) -> Judged {
        Judged { wait: Some(0), remaining: self.room(), reset: self.reset(), stamp }
    }

    /// Charges units. Returns the stamp by which they can be returned.
    pub(crate) fn charge(&mut self, cost: u32, permit: u64) -> u64 {
        let (parts, now, time, end) = (self.parts(cost), self.now, self.time(), self.now.ms + self.window());
        let stamp = match (self.limit.algorithm(), self.list.last_mut()) {
            (Algorithm::Counter, Some(row)) => {
                // The window of an earlier, longer limit ends when a window of this limit would end. After the clock has
                // stepped back over a boundary, the stored window is the next one of the calendar, and keeps its end.
                let next = if self.limit.calendar_window().is_some() { end + time } else { end };
                let end = if row.at > next { end } else { row.at };
                *row = Row { id: end, units: row.units + parts, at: end };
                end
            }
            (Algorithm::Counter, None) => self.push(end, parts, end),
            (Algorithm::TokenBucket | Algorithm::LeakyBucket, Some(row)) => {
                row.units += parts;
                row.at
            }
            (Algorithm::TokenBucket | Algorithm::LeakyBucket, None) => self.push(time, parts, now.ms),
            // Charges in the same microsecond have the same stamp, so they are one row.
            (Algorithm::SlidingLog, Some(row)) if row.id == now.us => {
                row.units += parts;
                now.us
            }
            (Algorithm::SlidingLog, _) => self.push(now.us, parts, now.us),
            (..) => {
                let id = i64::try_from(permit).unwrap_or(i64::MAX);
                self.push(id, parts, now.ms + time);
                id
            }
        };
        // The charge of a bucket ends when all units that are in use now have leaked.
        let stamp = if self.is_bucket() { now.ms + self.reset() } else { stamp };
        u64::try_from(stamp).unwrap_or(0)
    }

    fn push(&mut self, id: i64, units: i64, at: i64) -> i64 {
        self.list.push(Row { id, units, at });
        at
    }

    /// Gives back units of the charge with this stamp. Returns the number of units that were given back.
    pub(crate) fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let (parts, stamp) = (self.parts(units), i64::try_from(stamp).unwrap_or(0));
        let still_in_use = match self.limit.algorithm() {
            // In debt, only the last charge can be returned, because its units are the last to
            // leak.
            Algorithm::TokenBucket | Algorithm::LeakyBucket
                if self.room() < 0 && stamp != self.now.ms + self.reset() =>
            {
                0
            }
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                (stamp - self.now.ms).max(0).saturating_mul(i64::from(self.limit.count()))
            }
            _ => i64::MAX,
        };
        let is_bucket = self.is_bucket();
        let Some(row) = self.list.iter_mut().find(|row| is_bucket || row.id == stamp) else { return 0 };
        let back = parts.min(still_in_use).min(row.units);
        row.units -= back;
        let goes_on = self.limit.algorithm() == Algorithm::Counter; // a window without units still runs to its end
        self.list.retain(|row| row.units > 0 || goes_on);
        let back = if is_bucket { ceil_div(back, self.time()) } else { back };
        u32::try_from(back).unwrap_or(0)
    }

    /// Charges units even if they are not free, down to a debt of one capacity. Returns the number of charged units.
    pub(crate) fn take(&mut self, units: u32) -> u32 {
        let most = self.room() + i64::from(self.limit.capacity());
        let units = u32::try_from(i64::from(units).min(most)).unwrap_or(0);
        if units > 0 {
            self.charge(units, 0);
        }
        units
    }

    /// Returns the units in use, rounded up.
    pub(crate) fn units_in_use(&self) -> u32 {
        u32::try_from(i64::from(self.limit.capacity()) - self.room()).unwrap_or(u32::MAX)
    }

    /// Restarts the lease of a permit. Returns its units.
    pub(crate) fn renew(&mut self, id: u64) -> u32 {
        let end = self.now.ms + self.time();
        let Some(row) = self.list.iter_mut().find(|row| u64::try_from(row.id) == Ok(id)) else { return 0 };
        row.at = end;
        u32::try_from(row.units).unwrap_or(0)
    }
}
