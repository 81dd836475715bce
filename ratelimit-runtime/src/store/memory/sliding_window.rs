//! Sliding window: the twin of `lua/sliding_window.lua`, which explains it, with the same state. Counts the current cell,
//! and the share of the previous cell that the window still covers.
//!
//! A number's value is `previous * 2^26 + current`. Its deadline is one `time` after the end of the last cell, which is the
//! cell of `current`. If calls wait for the last cell, it has not begun yet; then its end is more than `time` away.

use super::shard::Number;
use super::verdict::{Verdict, Wait, signed};
use crate::limit::Limit;

const CELL: u64 = 1 << 26;

/// The units of the two cells, and the time in ms until the last cell ends.
#[derive(Clone, Copy)]
struct Cells {
    previous: i64,
    current: i64,
    ends_in: i64,
}

fn read(limit: &Limit, number: Option<Number>, now: u64) -> Option<Cells> {
    let number = number?;
    let (previous, current) = (signed(number.value / CELL), signed(number.value % CELL));
    let ends_in = signed(number.deadline) - signed(now) - signed(limit.time_ms());
    Some(if ends_in > 0 {
        Cells { previous, current, ends_in }
    } else {
        Cells { previous: current, current: 0, ends_in: ends_in + signed(limit.time_ms()) }
    })
}

/// Whether the last cell admits calls now: it has begun, or it belongs to an earlier, longer limit.
fn has_begun(limit: &Limit, cells: &Cells) -> bool {
    let time = signed(limit.time_ms());
    cells.ends_in <= time || cells.ends_in > time + signed(limit.wait_ms())
}

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let (count, time) = (i64::from(limit.count()), signed(limit.time_ms()));
    let fits = |wait: i64| match u64::try_from(wait) {
        _ if cost > limit.count() => Wait::Never,
        wait => Wait::Millis(wait.unwrap_or(0)),
    };
    let Some(cells) = read(limit, number, now) else {
        return Verdict { wait: fits(0), room: count, reset_ms: 0 };
    };
    let Cells { previous, current, ends_in } = cells;
    let begun = has_begun(limit, &cells);
    let covered = previous * ends_in.min(time);
    let room = count - current - (covered / time + i64::from(covered % time > 0));
    // How many ms of a cell with `units` units the window may cover, so that these count as at most `free` units.
    let may_cover = |free: i64, units: i64| if units > 0 { (free * time / units).min(time) } else { time };
    let cost = i64::from(cost);
    let wait = if cost > count {
        0
    } else if current + cost <= count {
        match may_cover(count - current - cost, previous) {
            covered if covered < time => ends_in - covered,
            _ if begun => 0,
            _ => ends_in - time,
        }
    } else {
        ends_in + time - may_cover(count - cost, current)
    };
    let reset_ms = number.map_or(0, |number| number.deadline - now);
    Verdict { wait: fits(wait), room: if begun { room } else { room.min(0) }, reset_ms }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, wait: u64, now: u64) -> (Number, u64) {
    let time = signed(limit.time_ms());
    let mut cells = read(limit, number, now).unwrap_or(Cells { previous: 0, current: 0, ends_in: 0 });
    if signed(wait) >= cells.ends_in {
        cells = Cells { previous: cells.current, current: 0, ends_in: cells.ends_in + time };
    } else if cells.ends_in > time + signed(limit.wait_ms()) {
        cells.ends_in = time;
    }
    let value = cells.previous.unsigned_abs() * CELL + cells.current.unsigned_abs() + u64::from(cost);
    let reset_ms = (cells.ends_in + time).unsigned_abs();
    (Number { value, deadline: now + reset_ms }, reset_ms)
}

pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let time = limit.time_ms();
    let ttl = number.deadline - now;
    let before = number.deadline - time.min(number.deadline) == stamp;
    let (cell, factor) = if before && ttl > time && ttl <= 2 * time {
        (number.value / CELL, CELL)
    } else if number.deadline == stamp {
        (number.value % CELL, 1)
    } else {
        return 0;
    };
    let given = u64::from(units).min(cell);
    number.value -= given * factor;
    u32::try_from(given).unwrap_or(units)
}
