//! Which entries a full shard evicts: first those of the limit with the most entries, and of these the least used.

use crate::limit::Limit;
use std::cmp::Reverse;

/// The bits of a deadline. The largest time of a clock has 54.
const DEADLINE_BITS: u32 = 55;
const LATEST: u64 = (1 << DEADLINE_BITS) - 1;
/// The bits that tell limits apart, and that say how much of a limit is in use.
const LIMIT_BITS: u32 = 7;
const USE_BITS: u32 = 2;

/// The limit of an entry, and how much of it is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claim(u64);

/// The deadline of an entry and its claim, in 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Until(u64);

impl Claim {
    /// The claim of an entry that leaves `room` units free. Limits with the same numbers are one limit here, and so is one in 128
    /// others by chance.
    #[inline]
    pub(super) fn new(limit: &Limit, room: i64) -> Self {
        let numbers = limit.time_ms() << 28 ^ u64::from(limit.count()) << 3 ^ limit.algorithm() as u64;
        let limit_bits = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - LIMIT_BITS);
        Self(limit_bits << USE_BITS | in_use(room.max(0), limit.capacity().into()))
    }
}

/// 3 if nothing is free, 2 for less than an eighth, 1 for less than half, and 0 for more.
#[inline]
fn in_use(room: i64, capacity: i64) -> u64 {
    u64::from(room == 0) + u64::from(room * 8 < capacity) + u64::from(room * 2 < capacity)
}

impl Until {
    #[inline]
    pub(super) fn new(deadline: u64, claim: Claim) -> Self {
        Self(deadline.min(LATEST) << (LIMIT_BITS + USE_BITS) | claim.0)
    }

    #[inline]
    pub(super) fn deadline(self) -> u64 {
        self.0 >> (LIMIT_BITS + USE_BITS)
    }

    fn limit(self) -> u64 {
        self.0 >> USE_BITS & ((1 << LIMIT_BITS) - 1)
    }

    /// Sorts by limit. Of one limit, those with most units in use come first, and of these the ones that last longest.
    fn order(self) -> u64 {
        let unused = !self.0 & ((1 << USE_BITS) - 1);
        (self.limit() << USE_BITS | unused) << DEADLINE_BITS | (LATEST - self.deadline())
    }
}

/// An entry that may be evicted: its slot, and the room that it takes.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) slot: usize,
    pub(super) weight: usize,
    pub(super) until: Until,
}

/// Returns the entries in the order in which they are evicted. An entry goes before those that have less of the same limit ahead of
/// them. So a limit that has more entries than another one evicts its own.
pub(super) fn in_order(mut entries: Vec<Candidate>) -> impl Iterator<Item = Candidate> {
    // Equal entries are evicted at even distances, so that the others stay evenly spread over the slots.
    entries.sort_unstable_by_key(|entry| (entry.until.order(), entry.slot.reverse_bits()));
    let (mut limit, mut ahead) = (0, 0);
    let mut ranked: Vec<(usize, Candidate)> = Vec::with_capacity(entries.len());
    for entry in entries {
        if entry.until.limit() != limit {
            (limit, ahead) = (entry.until.limit(), 0);
        }
        ranked.push((ahead, entry));
        ahead += entry.weight;
    }
    ranked.sort_unstable_by_key(|(ahead, _)| Reverse(*ahead));
    ranked.into_iter().map(|(_, entry)| entry)
}
