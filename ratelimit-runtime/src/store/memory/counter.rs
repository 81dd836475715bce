//! The counter: units in a window that starts with its first charged call. The twin of `lua/counter.lua`.
//!
//! A number's value is the units of the last window, its deadline the window's end. The last window has not begun while
//! its end is more than `time` away, because calls wait for it.

use super::number::Number;
use super::verdict::{Verdict, Wait, same, signed};
use crate::limit::Limit;

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let (used, ttl) = number.map_or((0, 0), |number| (number.value, number.deadline - now));
    let time = limit.time_ms();
    let room = i64::from(limit.count()) - signed(used);
    let begins = if ttl > time && ttl <= time + limit.wait_ms() { ttl - time } else { 0 };
    let wait = if cost > limit.count() {
        Wait::Never
    } else {
        Wait::Millis(if i64::from(cost) > room { ttl } else { begins })
    };
    Verdict { wait, room: if begins == 0 { room } else { room.min(0) }, reset_ms: ttl }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, wait: u64, now: u64) -> (Number, u64) {
    let time = limit.time_ms();
    let (used, reset_ms) = match number.map(|number| (number.value, number.deadline - now)) {
        // A window of a longer, earlier limit is cut to the present one.
        Some((used, ttl)) if ttl != wait => (used, if ttl > time + limit.wait_ms() { time } else { ttl }),
        _ => (0, wait + time),
    };
    (Number { value: used + u64::from(cost), deadline: now + reset_ms }, reset_ms)
}

pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64) -> u32 {
    if !same(number.deadline, stamp, limit.time_ms()) {
        return 0;
    }
    let given = u64::from(units).min(number.value);
    number.value -= given;
    u32::try_from(given).unwrap_or(units)
}
