//! The counter: units in a window that starts with its first charged call. The twin of `lua/counter.lua`.
//!
//! A cell's value is the units of the window, its deadline the window's end.

use super::{Cell, Verdict, Wait};
use crate::clock::millis;
use crate::limit::Limit;

pub(super) fn judge(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> Verdict {
    let (used, reset_ms) = cell.map_or((0, 0), |cell| (cell.value, cell.deadline - now));
    let room = u64::from(limit.count()).saturating_sub(used);
    let wait = match u64::from(cost) {
        _ if cost > limit.count() => Wait::Never,
        cost if cost > room => Wait::Millis(reset_ms),
        _ => Wait::None,
    };
    Verdict { wait, remaining: u32::try_from(room).unwrap_or(u32::MAX), reset_ms }
}

pub(super) fn charge(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> (Cell, u64) {
    let time_ms = millis(limit.time());
    // A window of a longer, earlier limit is cut to the present one.
    let (used, reset_ms) = cell.map_or((0, time_ms), |cell| (cell.value, (cell.deadline - now).min(time_ms)));
    (Cell { value: used + u64::from(cost), deadline: now + reset_ms }, reset_ms)
}
