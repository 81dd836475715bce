//! Counter: the twin of `lua/counter.lua`, which explains it. Counts units in a window that starts with its first charged
//! call.
//!
//! An entry's value is the number of units in the last window, and its deadline is the end of that window. If calls wait for
//! the last window, this window has not begun yet, and ends more than `time` from now.

use super::table::Entry;
use super::terms::{Terms, Verdict, signed};

/// Decides about a request, and charges it if it passes.
#[expect(clippy::inline_always, reason = "it is short, and the verdict then need not be copied")]
#[inline(always)]
pub(super) fn decide(entry: &mut Entry<u64>, terms: &Terms<'_>) -> Verdict {
    let Terms { limit, needed, now, .. } = *terms;
    let (count, time) = (i64::from(limit.count()), limit.time_ms());
    // The time in ms until the last window ends, and the units in it. At its end, the window no longer counts, although the
    // entry still exists.
    let mut ttl = entry.deadline().saturating_sub(now);
    let mut used = if ttl > 0 { entry.value } else { 0 };
    // A window whose end is at most this far away admits calls now. After the clock has stepped back over a boundary of the
    // calendar, this may be the next window.
    let begun = limit.window().map_or(time, |window| time + window.calendar.longest_ms());
    let is_of_longer_limit = ttl > begun + limit.wait_ms();
    let left = count - signed(used);
    // The time in ms until the last window begins. 0 if that window has begun.
    let starts_in = if is_of_longer_limit { 0 } else { ttl.saturating_sub(begun) };
    let wait_ms = match needed {
        _ if needed > count => None,
        _ if needed > left => Some(ttl),
        _ => Some(starts_in),
    };
    let Some(wait) = terms.turn(wait_ms) else {
        let room = if starts_in == 0 { left } else { left.min(0) };
        return Verdict { wait_ms, room, reset_ms: ttl, stamp: 0 };
    };
    if ttl <= wait {
        (used, ttl) = (0, wait + time);
    } else if is_of_longer_limit {
        // A window that was started under an earlier, longer limit is shortened.
        ttl = time;
    }
    used += u64::from(terms.cost);
    let left = count - signed(used);
    let room = if ttl <= begun { left } else { left.min(0) };
    entry.set(used, now + ttl, limit, room);
    terms.charged(wait, room, ttl, now + ttl)
}

/// Gives back units of the charge with this stamp.
pub(super) fn give(entry: &mut Entry<u64>, units: u32, stamp: u64, now: u64) -> u32 {
    if entry.deadline() != stamp || stamp <= now {
        return 0;
    }
    let given = u64::from(units).min(entry.value);
    entry.value -= given;
    u32::try_from(given).unwrap_or(units)
}
