//! Chooses the entries that a full shard evicts. The limit with the most entries loses its least used entries first.

use crate::limit::Limit;
use std::cmp::{Ordering, Reverse};

/// The number of bits of a deadline in ms. Also the largest time of a clock, 2^64 microseconds, has at most 55 bits if it is
/// converted to ms.
const DEADLINE_BITS: u32 = 55;
const LATEST: u64 = (1 << DEADLINE_BITS) - 1;
/// The number of bits that distinguish limits, and the number of bits that say how much of a limit is in use.
const LIMIT_BITS: u32 = 7;
const USE_BITS: u32 = 2;

/// Packs three values into 64 bits: the deadline of an entry, a hash of its limit, and how much of the limit is in use. `room`
/// is the number of units that are left. Limits with the same numbers count as one limit. Two limits with different numbers
/// count as one limit with a probability of 1 in 128.
#[inline]
pub(super) fn until(deadline: u64, limit: &Limit, room: i64) -> u64 {
    // The hash needs no `time`, because the rate and the count determine it, also for calendar windows.
    let (rate, count) = (limit.rate(), u64::from(limit.count()));
    let numbers =
        (rate.period_ms << 28) ^ (u64::from(rate.tokens) << 32) ^ (count << 3) ^ limit.algorithm() as u64;
    let limit_bits = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - LIMIT_BITS);
    let claim = (limit_bits << USE_BITS) | in_use(room.max(0), limit.capacity().into());
    without_limit(deadline) | claim
}

/// Packs the deadline of an entry that belongs to no limit.
#[inline]
pub(super) fn without_limit(deadline: u64) -> u64 {
    deadline.min(LATEST) << (LIMIT_BITS + USE_BITS)
}

/// Returns how much of a limit is in use: 3 if nothing is free, 2 if less than an eighth is free, 1 if less than half is free,
/// and 0 otherwise.
#[inline]
fn in_use(room: i64, capacity: i64) -> u64 {
    u64::from(room == 0) + u64::from(room * 8 < capacity) + u64::from(room * 2 < capacity)
}

#[inline]
pub(super) fn deadline(until: u64) -> u64 {
    until >> (LIMIT_BITS + USE_BITS)
}

/// Returns a sort key, whose highest bits are the hash of the limit. Entries of one limit are in the order of their use, the
/// most used first. Entries that are used equally are in the order of their deadlines, the latest first.
fn order(until: u64) -> u64 {
    let claim = (until ^ ((1 << USE_BITS) - 1)) & ((1 << (LIMIT_BITS + USE_BITS)) - 1);
    (claim << DEADLINE_BITS) | (LATEST - deadline(until))
}

/// An entry that may be evicted: its slot, its weight, and its place in the order of eviction.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    slot: u32,
    weight: u32,
    sort_key: u64,
    /// The weight of all entries of the same limit that precede this one in the order of `sort_key`.
    weight_before: u64,
}

impl Candidate {
    pub(super) fn new(slot: usize, weight: usize, until: u64) -> Self {
        let narrow = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self { slot: narrow(slot), weight: narrow(weight), sort_key: order(until), weight_before: 0 }
    }

    pub(super) fn slot(&self) -> usize {
        self.slot as usize
    }

    pub(super) fn weight(&self) -> usize {
        self.weight as usize
    }

    fn limit(&self) -> u64 {
        self.sort_key >> (DEADLINE_BITS + USE_BITS)
    }

    /// Compares two entries by their sort keys. If these are equal, compares the reversed bits of their slots, so that the
    /// evicted entries and the remaining entries are evenly spread over the slots.
    fn before(&self, other: &Self) -> Ordering {
        let spread = || self.slot.reverse_bits().cmp(&other.slot.reverse_bits());
        self.sort_key.cmp(&other.sort_key).then_with(spread)
    }
}

/// Returns the entries in the order in which they are evicted. Entries of the limit with the most entries come first, so a
/// limit with many entries loses its own entries.
pub(super) fn in_order(mut entries: Vec<Candidate>) -> impl Iterator<Item = Candidate> {
    entries.sort_unstable_by(Candidate::before);
    let (mut limit, mut ahead) = (0, 0);
    for entry in &mut entries {
        if entry.limit() != limit {
            (limit, ahead) = (entry.limit(), 0);
        }
        entry.weight_before = ahead;
        ahead += u64::from(entry.weight);
    }
    entries.sort_unstable_by_key(|entry| Reverse(entry.weight_before));
    entries.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Candidate, in_use, until};
    use crate::limit::Limit;
    use std::collections::BTreeSet;
    use std::time::Duration;

    #[test]
    fn the_share_in_use_has_four_steps() {
        let steps = [(0, 3), (1, 2), (2, 1), (7, 1), (8, 0), (16, 0)];
        assert_eq!(steps.map(|(room, _)| in_use(room, 16)), steps.map(|(_, step)| step));
    }

    #[test]
    fn entries_are_told_apart_by_limit_whatever_is_in_use() {
        let limit_of = |count, room, deadline| {
            let limit = Limit::counter(count, Duration::from_secs(60));
            Candidate::new(0, 1, until(deadline, &limit, room)).limit()
        };
        let limits: BTreeSet<u64> = (1..=100).map(|count| limit_of(count, 1, 1000)).collect();
        assert!(limits.len() > 50, "of 128 numbers, a hundred limits have {}", limits.len());
        assert_eq!(limit_of(9, 0, 1000), limit_of(9, 9, u64::MAX));
    }
}
