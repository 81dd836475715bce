//! The sliding window: the current cell, and the share of the one before it that the window still covers. The twin of
//! `lua/sliding_window.lua`, with the same state.
//!
//! A number's value is `previous * 2^26 + current`, its deadline one `time` after the end of the last cell, the one of
//! `current`. The last cell has not begun while its end is more than `time` away.

use super::number::Number;
use super::verdict::{Verdict, Wait, same, signed};
use crate::limit::Limit;

const CELL: u64 = 1 << 26;

/// The two cells, and how long until the last one ends.
#[derive(Clone, Copy)]
struct Cells {
    previous: i64,
    current: i64,
    ends: i64,
}

fn open(limit: &Limit, number: Option<Number>, now: u64) -> Option<Cells> {
    let number = number?;
    let (previous, current) = (signed(number.value / CELL), signed(number.value % CELL));
    let ends = signed(number.deadline) - signed(now) - signed(limit.time_ms());
    Some(if ends > 0 {
        Cells { previous, current, ends }
    } else {
        Cells { previous: current, current: 0, ends: ends + signed(limit.time_ms()) }
    })
}

/// Whether the last cell takes calls now: it has begun, or it is one of a longer, earlier limit.
fn has_begun(limit: &Limit, cells: &Cells) -> bool {
    let time = signed(limit.time_ms());
    cells.ends <= time || cells.ends > time + signed(limit.wait_ms())
}

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let (count, time) = (i64::from(limit.count()), signed(limit.time_ms()));
    let fits = |wait: i64| match u64::try_from(wait) {
        _ if cost > limit.count() => Wait::Never,
        wait => Wait::Millis(wait.unwrap_or(0)),
    };
    let Some(cells) = open(limit, number, now) else {
        return Verdict { wait: fits(0), room: count, reset_ms: 0 };
    };
    let Cells { previous, current, ends } = cells;
    let begun = has_begun(limit, &cells);
    let covered = previous * ends.min(time);
    let room = count - current - (covered / time + i64::from(covered % time > 0));
    // How much of the cell before may be covered when the cost fits.
    let covers = |free: i64, cell: i64| if cell > 0 { (free * time / cell).min(time) } else { time };
    let cost = i64::from(cost);
    let wait = if cost > count {
        0
    } else if current + cost <= count {
        match covers(count - current - cost, previous) {
            covers if covers < time => ends - covers,
            _ if begun => 0,
            _ => ends - time,
        }
    } else {
        ends + time - covers(count - cost, current)
    };
    let reset_ms = number.map_or(0, |number| number.deadline - now);
    Verdict { wait: fits(wait), room: if begun { room } else { room.min(0) }, reset_ms }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, wait: u64, now: u64) -> (Number, u64) {
    let time = signed(limit.time_ms());
    let mut cells = open(limit, number, now).unwrap_or(Cells { previous: 0, current: 0, ends: 0 });
    if signed(wait) >= cells.ends {
        cells = Cells { previous: cells.current, current: 0, ends: cells.ends + time };
    } else if cells.ends > time + signed(limit.wait_ms()) {
        cells.ends = time;
    }
    let value = cells.previous.unsigned_abs() * CELL + cells.current.unsigned_abs() + u64::from(cost);
    let reset_ms = (cells.ends + time).unsigned_abs();
    (Number { value, deadline: now + reset_ms }, reset_ms)
}

pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let time = limit.time_ms();
    let ttl = number.deadline - now;
    let before = same(number.deadline - time.min(number.deadline), stamp, time);
    let (cell, digit) = if before && ttl > time && ttl <= 2 * time {
        (number.value / CELL, CELL)
    } else if same(number.deadline, stamp, time) {
        (number.value % CELL, 1)
    } else {
        return 0;
    };
    let given = u64::from(units).min(cell);
    number.value -= given * digit;
    u32::try_from(given).unwrap_or(units)
}
