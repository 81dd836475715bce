//! Sliding log: the twin of `lua/sliding_log.lua`, which explains it. Stores the time of each unit, in microseconds.

use super::verdict::{Charged, Verdict, signed};
use crate::limit::Limit;
use std::collections::VecDeque;

/// The time of each unit's turn in microseconds, oldest first.
#[derive(Debug, Default)]
pub(super) struct Log(VecDeque<u64>);

/// The stamp of an entry. 0 means that nothing was charged, and a clock of a test may say 0.
fn stamp_of(entry: u64) -> u64 {
    entry.max(1)
}

/// How long an entry still counts, in microseconds. Subtracts first, because a sum of times could overflow.
fn left_us(limit: &Limit, entry: u64, now_us: u64) -> u64 {
    let window = limit.time_ms() * 1000;
    if entry > now_us { window.saturating_add(entry - now_us) } else { window.saturating_sub(now_us - entry) }
}

impl Log {
    /// The bytes that this state uses on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }

    /// The stored units.
    pub(super) fn units(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of entries that no longer count.
    fn expired(&self, limit: &Limit, now_us: u64) -> usize {
        self.0.partition_point(|entry| left_us(limit, *entry, now_us) == 0)
    }

    pub(super) fn judge(&self, limit: &Limit, cost: u32, now_us: u64) -> Verdict {
        let expired = self.expired(limit, now_us);
        let live = self.0.len() - expired;
        let newest = self.0.back().copied().filter(|_| live > 0);
        let reset_ms = newest.map_or(0, |newest| left_us(limit, newest, now_us).div_ceil(1000));
        let room = i64::from(limit.count()) - signed(live as u64);
        // A turn is never before the turn of a call that came earlier.
        let earliest = newest.filter(|_| limit.wait_ms() > 0);
        let mut wait_us = earliest.map_or(0, |newest| newest.saturating_sub(now_us));
        let over = i64::from(cost) - room;
        if over > 0
            && cost <= limit.count()
            && let Some(blocking) = self.0.get(expired + usize::try_from(over - 1).unwrap_or(0))
        {
            wait_us = wait_us.max(left_us(limit, *blocking, now_us));
        }
        let fits = cost <= limit.count();
        Verdict { wait_ms: fits.then(|| wait_us.div_ceil(1000)), room, reset_ms, stamp: 0 }
    }

    pub(super) fn charge(&mut self, limit: &Limit, cost: u32, wait: u64, now_us: u64) -> Charged {
        let expired = self.expired(limit, now_us);
        self.0.drain(..expired);
        let turn = now_us.saturating_add(wait * 1000);
        let stamp = turn.max(self.0.back().copied().unwrap_or(0));
        self.0.extend(std::iter::repeat_n(stamp, cost as usize));
        Charged { reset_ms: left_us(limit, stamp, now_us).div_ceil(1000), stamp: stamp_of(stamp) }
    }

    pub(super) fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let first = self.0.partition_point(|entry| stamp_of(*entry) < stamp);
        let after = self.0.partition_point(|entry| stamp_of(*entry) <= stamp);
        let given = (after - first).min(units as usize);
        self.0.drain(first..first + given);
        u32::try_from(given).unwrap_or(units)
    }
}
