//! Counter: the twin of `lua/counter.lua`, which explains it. Counts units in a window that starts with its first charged
//! call.
//!
//! A number's value is the units of the last window, and its deadline is the end of that window. If calls wait for the
//! last window, it has not begun yet; then its end is more than `time` away.

use super::shard::Number;
use super::verdict::{Verdict, Wait, signed};
use crate::limit::Limit;

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let (used, ttl) = number.map_or((0, 0), |number| (number.value, number.deadline - now));
    let time = limit.time_ms();
    let room = i64::from(limit.count()) - signed(used);
    let starts_in = if ttl > time && ttl <= time + limit.wait_ms() { ttl - time } else { 0 };
    let wait = if cost > limit.count() {
        Wait::Never
    } else {
        Wait::Millis(if i64::from(cost) > room { ttl } else { starts_in })
    };
    Verdict { wait, room: if starts_in == 0 { room } else { room.min(0) }, reset_ms: ttl }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, wait: u64, now: u64) -> (Number, u64) {
    let time = limit.time_ms();
    let (used, reset_ms) = match number.map(|number| (number.value, number.deadline - now)) {
        // A window of an earlier, longer limit is shortened.
        Some((used, ttl)) if ttl != wait => (used, if ttl > time + limit.wait_ms() { time } else { ttl }),
        _ => (0, wait + time),
    };
    (Number { value: used + u64::from(cost), deadline: now + reset_ms }, reset_ms)
}

pub(super) fn give(number: &mut Number, units: u32, stamp: u64) -> u32 {
    if number.deadline != stamp {
        return 0;
    }
    let given = u64::from(units).min(number.value);
    number.value -= given;
    u32::try_from(given).unwrap_or(units)
}
