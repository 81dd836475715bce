//! Sliding log: the twin of `lua/sliding_log.lua`, which explains it. Stores the time of each unit's turn in microseconds, oldest
//! first.

use super::terms::{Terms, Verdict, signed};
use crate::limit::Limit;
use std::collections::VecDeque;

/// Returns the stamp of an entry: its time, or 1 if the time is 0. The stamp 0 means that nothing was charged, and the clock of
/// a test may start at 0.
fn stamp_of(entry: u64) -> u64 {
    entry.max(1)
}

/// Returns the time in microseconds for which an entry still counts. Subtracts before it adds, because a sum of times could
/// overflow.
fn left_us(limit: &Limit, entry: u64, now_us: u64) -> u64 {
    let window = limit.time_ms() * 1000;
    if entry > now_us { window.saturating_add(entry - now_us) } else { window.saturating_sub(now_us - entry) }
}

/// Decides about a request, and charges it if it passes. If the log has changed, also returns the time in ms for which it is
/// needed.
pub(super) fn decide(log: &mut VecDeque<u64>, terms: &Terms<'_>) -> (Verdict, Option<u64>) {
    let Terms { limit, needed, now_us, .. } = *terms;
    let left = |entry: u64| left_us(limit, entry, now_us);
    let expired = log.partition_point(|entry| left(*entry) == 0);
    let live = log.len() - expired;
    let newest = log.back().copied().filter(|_| live > 0);
    let (count, room) = (i64::from(limit.count()), i64::from(limit.count()) - signed(live as u64));
    // Turns are in the order of arrival, so a new turn is not before the newest stored turn.
    let earliest = newest.filter(|_| limit.wait_ms() > 0);
    let mut until_turn = earliest.map_or(0, |newest| newest.saturating_sub(now_us));
    if needed > room
        && let Some(blocking) = log.get(expired + usize::try_from(needed - room - 1).unwrap_or(0))
    {
        until_turn = until_turn.max(left(*blocking));
    }
    let wait_ms = (needed <= count).then(|| until_turn.div_ceil(1000));
    let Some(wait) = terms.turn(wait_ms) else {
        let reset_ms = newest.map_or(0, left).div_ceil(1000);
        return (Verdict { wait_ms, room, reset_ms, stamp: 0 }, None);
    };
    log.drain(..expired);
    let turn = now_us.saturating_add(wait * 1000).max(log.back().copied().unwrap_or(0));
    log.extend(std::iter::repeat_n(turn, terms.cost as usize));
    let (room, reset_ms) = (room - i64::from(terms.cost), left(turn).div_ceil(1000));
    (terms.charged(wait, room, reset_ms, stamp_of(turn)), Some(reset_ms))
}

/// Gives back units of the charge with this stamp.
pub(super) fn give(log: &mut VecDeque<u64>, units: u32, stamp: u64) -> u32 {
    let first = log.partition_point(|entry| stamp_of(*entry) < stamp);
    let after = log.partition_point(|entry| stamp_of(*entry) <= stamp);
    let given = (after - first).min(units as usize);
    log.drain(first..first + given);
    u32::try_from(given).unwrap_or(units)
}
