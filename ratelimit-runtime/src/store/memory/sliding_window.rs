//! Sliding window: the twin of `lua/sliding_window.lua`, which explains it, with the same state. Counts the current cell,
//! and the share of the previous cell that the window still covers.
//!
//! A number's value is `previous * 2^26 + current`. Its deadline is one `time` after the end of the last cell, which is the
//! cell of `current`. If calls wait for the last cell, it has not begun yet; then its end is more than `time` away.

use super::number_algorithm::NumberAlgorithm;
use super::table::Number;
use super::verdict::signed;
use crate::limit::Limit;

const CELL: u64 = 1 << 26;

/// The units of the two cells, and the time in ms until the last cell ends.
#[derive(Clone, Copy, Default)]
struct Cells {
    previous: i64,
    current: i64,
    ends_in: i64,
}

/// A window at a time.
pub(super) struct SlidingWindow<'l> {
    limit: &'l Limit,
    /// `None` if no cell is stored.
    cells: Option<Cells>,
    reset_ms: u64,
    now: u64,
}

fn cells(limit: &Limit, number: Number, now: u64) -> Cells {
    let (previous, current) = (signed(number.value / CELL), signed(number.value % CELL));
    let ends_in = signed(number.deadline) - signed(now) - signed(limit.time_ms());
    if ends_in > 0 {
        return Cells { previous, current, ends_in };
    }
    Cells { previous: current, current: 0, ends_in: ends_in + signed(limit.time_ms()) }
}

impl SlidingWindow<'_> {
    fn time(&self) -> i64 {
        signed(self.limit.time_ms())
    }

    /// Whether the last cell admits calls now: it has begun, or it belongs to an earlier, longer limit.
    fn has_begun(&self, cells: Cells) -> bool {
        cells.ends_in <= self.time() || self.is_of_longer_limit(cells)
    }

    fn is_of_longer_limit(&self, cells: Cells) -> bool {
        cells.ends_in > self.time() + signed(self.limit.wait_ms())
    }

    /// The time in ms until a cost of at most `count` fits.
    fn wait_ms(&self, cells: Cells, cost: i64) -> i64 {
        let (count, time) = (i64::from(self.limit.count()), self.time());
        let Cells { previous, current, ends_in } = cells;
        // The window may cover this many ms of a cell with `units` units. More would count as more than `free` units.
        let may_cover =
            |free: i64, units: i64| if units > 0 { (free * time / units).min(time) } else { time };
        if current + cost > count {
            return ends_in + time - may_cover(count - cost, current);
        }
        match may_cover(count - current - cost, previous) {
            covered if covered < time => ends_in - covered,
            _ if self.has_begun(cells) => 0,
            _ => ends_in - time,
        }
    }
}

impl<'l> NumberAlgorithm<'l> for SlidingWindow<'l> {
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self {
        let number = number.filter(|number| number.deadline > now);
        let cells = number.map(|number| cells(limit, number, now));
        Self { limit, cells, reset_ms: number.map_or(0, |number| number.deadline - now), now }
    }

    fn wait_ms(&self, cost: i64, _: bool) -> Option<u64> {
        if cost > i64::from(self.limit.count()) {
            return None;
        }
        let wait = self.cells.map_or(0, |cells| self.wait_ms(cells, cost));
        Some(u64::try_from(wait).unwrap_or(0))
    }

    fn room(&self) -> i64 {
        let (count, time) = (i64::from(self.limit.count()), self.time());
        let Some(cells) = self.cells else { return count };
        let covered = cells.previous * cells.ends_in.min(time);
        let room = count - cells.current - (covered / time + i64::from(covered % time > 0));
        if self.has_begun(cells) { room } else { room.min(0) }
    }

    fn reset_ms(&self) -> u64 {
        self.reset_ms
    }

    fn charge(&mut self, cost: u32, wait: u64) -> Number {
        let time = self.time();
        let mut cells = self.cells.unwrap_or_default();
        if signed(wait) >= cells.ends_in {
            cells = Cells { previous: cells.current, current: 0, ends_in: cells.ends_in + time };
        } else if self.is_of_longer_limit(cells) {
            cells.ends_in = time;
        }
        cells.current += i64::from(cost);
        (self.cells, self.reset_ms) = (Some(cells), (cells.ends_in + time).unsigned_abs());
        let value = cells.previous.unsigned_abs() * CELL + cells.current.unsigned_abs();
        Number { value, deadline: self.now + self.reset_ms }
    }
}

pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let time = limit.time_ms();
    let ttl = number.deadline - now;
    let before = number.deadline - time.min(number.deadline) == stamp;
    let (cell, factor) = if before && ttl > time && ttl <= 2 * time {
        (number.value / CELL, CELL)
    } else if number.deadline == stamp && ttl > 0 {
        (number.value % CELL, 1)
    } else {
        return 0;
    };
    let given = u64::from(units).min(cell);
    number.value -= given * factor;
    u32::try_from(given).unwrap_or(units)
}
