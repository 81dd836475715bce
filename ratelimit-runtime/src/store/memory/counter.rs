//! Counter: the twin of `lua/counter.lua`, which explains it. Counts units in a window that starts with its first charged
//! call.
//!
//! A number's value is the units of the last window, and its deadline is the end of that window. If calls wait for the
//! last window, it has not begun yet; then its end is more than `time` away.

use super::number_algorithm::NumberAlgorithm;
use super::table::Number;
use super::verdict::signed;
use crate::limit::Limit;

/// The last window: its units, and the time in ms until it ends. Both are zero if there is none.
pub(super) struct Counter<'l> {
    limit: &'l Limit,
    used: u64,
    ttl: u64,
    now: u64,
}

impl Counter<'_> {
    #[inline]
    fn left(&self) -> i64 {
        i64::from(self.limit.count()) - signed(self.used)
    }

    /// The time in ms until the window begins, if calls wait for it.
    #[inline]
    fn starts_in(&self) -> u64 {
        let time = self.limit.time_ms();
        if self.ttl > time && self.ttl <= time + self.limit.wait_ms() { self.ttl - time } else { 0 }
    }
}

impl<'l> NumberAlgorithm<'l> for Counter<'l> {
    #[inline]
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self {
        let number = number.filter(|number| number.deadline > now);
        let (used, ttl) = number.map_or((0, 0), |number| (number.value, number.deadline - now));
        Self { limit, used, ttl, now }
    }

    #[inline]
    fn wait_ms(&self, cost: i64, _: bool) -> Option<u64> {
        if cost > i64::from(self.limit.count()) {
            return None;
        }
        Some(if cost > self.left() { self.ttl } else { self.starts_in() })
    }

    #[inline]
    fn room(&self) -> i64 {
        if self.starts_in() == 0 { self.left() } else { self.left().min(0) }
    }

    #[inline]
    fn reset_ms(&self) -> u64 {
        self.ttl
    }

    #[inline]
    fn charge(&mut self, cost: u32, wait: u64) -> Number {
        let time = self.limit.time_ms();
        if self.ttl <= wait {
            (self.used, self.ttl) = (0, wait + time);
        } else if self.ttl > time + self.limit.wait_ms() {
            // A window of an earlier, longer limit is shortened.
            self.ttl = time;
        }
        self.used += u64::from(cost);
        Number { value: self.used, deadline: self.now + self.ttl }
    }
}

pub(super) fn give(number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    if number.deadline != stamp || number.deadline <= now {
        return 0;
    }
    let given = u64::from(units).min(number.value);
    number.value -= given;
    u32::try_from(given).unwrap_or(units)
}
