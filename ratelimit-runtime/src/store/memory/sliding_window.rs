//! Sliding window: the twin of `lua/sliding_window.lua`, which explains it, with the same state. Counts the units of the
//! current cell, and the share of the previous cell's units that the window still covers.
//!
//! An entry's value is `previous * 2^26 + current`: `current` units in the last cell, and `previous` units in the cell before
//! it. The deadline of an entry is one `time` after the end of the last cell. If calls wait for the last cell, this cell has
//! not begun yet, and ends more than `time` from now.

use super::table::Entry;
use super::terms::{Terms, Verdict, signed};
use crate::limit::Limit;

const CELL: u64 = 1 << 26;

/// The window at the time of a decision: the units of its two cells, and the time in ms until the last cell ends. All these
/// numbers are 0 if no cell is stored.
struct Window<'l> {
    limit: &'l Limit,
    previous: i64,
    current: i64,
    ends_in: i64,
}

impl<'l> Window<'l> {
    fn read(entry: &Entry<u64>, limit: &'l Limit, now: u64) -> Self {
        if entry.deadline() <= now {
            return Self { limit, previous: 0, current: 0, ends_in: 0 };
        }
        let (previous, current) = (signed(entry.value / CELL), signed(entry.value % CELL));
        let ends_in = signed(entry.deadline() - now) - signed(limit.time_ms());
        if ends_in > 0 {
            return Self { limit, previous, current, ends_in };
        }
        Self { limit, previous: current, current: 0, ends_in: ends_in + signed(limit.time_ms()) }
    }

    fn time(&self) -> i64 {
        signed(self.limit.time_ms())
    }

    /// Returns whether the last cell admits calls now: it has begun, or it belongs to an earlier, longer limit.
    fn has_begun(&self) -> bool {
        self.ends_in <= self.time() || self.is_of_longer_limit()
    }

    fn is_of_longer_limit(&self) -> bool {
        self.ends_in > self.time() + signed(self.limit.wait_ms())
    }

    /// Returns the time in ms until a cost of at most `count` fits.
    fn wait_ms(&self, cost: i64) -> i64 {
        let (count, time) = (i64::from(self.limit.count()), self.time());
        let Self { previous, current, ends_in, .. } = *self;
        // For a cell with `units` units, returns how many ms of the cell the window may cover if the cell must count as at most
        // `free` units.
        let may_cover =
            |free: i64, units: i64| if units > 0 { (free * time / units).min(time) } else { time };
        if current + cost > count {
            return ends_in + time - may_cover(count - cost, current);
        }
        match may_cover(count - current - cost, previous) {
            covered if covered < time => ends_in - covered,
            _ if self.has_begun() => 0,
            _ => ends_in - time,
        }
    }

    fn room(&self) -> i64 {
        let time = self.time();
        let covered = self.previous * self.ends_in.min(time);
        let used = self.current + covered / time + i64::from(covered % time > 0);
        let room = i64::from(self.limit.count()) - used;
        if self.has_begun() { room } else { room.min(0) }
    }
}

/// Decides about a request, and charges it if it passes.
pub(super) fn decide(entry: &mut Entry<u64>, terms: &Terms<'_>) -> Verdict {
    let Terms { limit, needed, now, .. } = *terms;
    let mut window = Window::read(entry, limit, now);
    let fits = needed <= i64::from(limit.count());
    let wait_ms = fits.then(|| u64::try_from(window.wait_ms(needed)).unwrap_or(0));
    let Some(wait) = terms.turn(wait_ms) else {
        let reset_ms = entry.deadline().saturating_sub(now);
        return Verdict { wait_ms, room: window.room(), reset_ms, stamp: 0 };
    };
    let time = window.time();
    if signed(wait) >= window.ends_in {
        window = Window { previous: window.current, current: 0, ends_in: window.ends_in + time, ..window };
    } else if window.is_of_longer_limit() {
        window.ends_in = time;
    }
    window.current += i64::from(terms.cost);
    let (room, reset_ms) = (window.room(), (window.ends_in + time).unsigned_abs());
    let value = window.previous.unsigned_abs() * CELL + window.current.unsigned_abs();
    entry.set(value, now + reset_ms, limit, room);
    terms.charged(wait, room, reset_ms, now + reset_ms)
}

/// Gives back units of the charge with this stamp.
pub(super) fn give(entry: &mut Entry<u64>, limit: &Limit, units: u32, stamp: u64, now: u64) -> u32 {
    let (time, end) = (limit.time_ms(), entry.deadline());
    let ttl = end - now;
    let (cell, factor) = if end.saturating_sub(time) == stamp && ttl > time && ttl <= 2 * time {
        (entry.value / CELL, CELL)
    } else if end == stamp && ttl > 0 {
        (entry.value % CELL, 1)
    } else {
        return 0;
    };
    let given = u64::from(units).min(cell);
    entry.value -= given * factor;
    u32::try_from(given).unwrap_or(units)
}
