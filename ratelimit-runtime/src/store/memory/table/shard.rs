//! One shard of a table: a hash table with linear probing, whose entries are in the order of their hashes, so that a
//! search ends early even if the shard is nearly full.

use super::eviction::{Candidate, Claim, Until, in_order};
use crate::limit::Limit;
use crate::observe;

/// The value in an entry.
pub(in crate::store::memory) trait Value: Default {
    /// The bytes that the value uses on the heap.
    fn weight(&self) -> usize;
}

impl Value for u64 {
    fn weight(&self) -> usize {
        0
    }
}

/// The state of one limit under one key. As in Redis, it exists until its deadline has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store::memory) struct Cell<T> {
    pub(in crate::store::memory) value: T,
    until: Until,
}

/// The state of a counter, a bucket or a sliding window, and its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::memory) struct Number {
    pub(in crate::store::memory) value: u64,
    pub(in crate::store::memory) deadline: u64,
}

impl<T> Cell<T> {
    #[inline]
    pub(super) fn new(value: T, deadline: u64, claim: Claim) -> Self {
        Self { value, until: Until::new(deadline, claim) }
    }

    /// A cell that is set before its shard is unlocked.
    pub(in crate::store::memory) fn unset(value: T) -> Self {
        Self::new(value, 0, Claim::default())
    }

    /// The deadline, in milliseconds of the clock.
    #[inline]
    pub(in crate::store::memory) fn deadline(&self) -> u64 {
        self.until.deadline()
    }

    /// Sets the end of a cell that leaves `room` units of its limit free.
    pub(in crate::store::memory) fn set_until(&mut self, deadline: u64, limit: &Limit, room: i64) {
        self.until = Until::new(deadline, Claim::new(limit, room));
    }
}

/// An entry, or an empty slot if the hash is 0.
#[derive(Default)]
struct Slot<T> {
    hash: u64,
    cell: Cell<T>,
}

/// A part of the table. It has so few entries that an operation on all of them takes microseconds.
pub(super) struct Shard<T> {
    slots: Box<[Slot<T>]>,
    len: usize,
    max: usize,
    /// The bytes that all values use on the heap.
    weight: usize,
    evictions: u64,
}

/// How many slots around a new entry are cleared of expired entries.
const SWEPT: usize = 8;

impl<T: Value> Shard<T> {
    /// Creates a shard for at most `max` entries. Allocates nothing yet.
    pub(super) fn new(max: usize) -> Self {
        Self { slots: Box::default(), len: 0, max: max.max(1), weight: 0, evictions: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The allocated bytes, including empty slots.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + self.weight
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// How many entries were evicted before they expired.
    pub(super) fn evictions(&self) -> u64 {
        self.evictions
    }

    /// The slot of the entry with this hash, or as an error the slot where it would be inserted.
    pub(super) fn seek(&self, hash: u64) -> Result<usize, usize> {
        let mut at = self.preferred(hash);
        let mut distance = 0;
        while let Some(slot) = self.slots.get(at) {
            if slot.hash == hash {
                return Ok(at);
            }
            if slot.hash == 0 || self.distance(at, slot.hash) < distance {
                return Err(at);
            }
            at = self.next(at);
            distance += 1;
        }
        Err(0)
    }

    pub(super) fn cell(&self, at: usize) -> &Cell<T> {
        &self.slots[at].cell
    }

    /// Changes an entry, and updates the weight.
    pub(super) fn change<R>(&mut self, at: usize, change: impl FnOnce(&mut Cell<T>) -> R) -> R {
        let cell = &mut self.slots[at].cell;
        let before = cell.value.weight();
        let changed = change(cell);
        self.weight = self.weight + cell.value.weight() - before;
        changed
    }

    /// Inserts an entry. If the shard is full, removes expired entries, grows, or evicts entries.
    #[cold]
    pub(super) fn insert(&mut self, hash: u64, cell: Cell<T>, now: u64) {
        self.sweep(self.preferred(hash), now);
        if self.is_full() {
            self.make_room(now);
        }
        self.weight += cell.value.weight();
        self.place(Slot { hash, cell });
    }

    /// Removes an entry. Following entries that are not in their preferred slot move back by one.
    pub(super) fn remove(&mut self, mut at: usize) {
        let removed = std::mem::take(&mut self.slots[at]);
        self.weight -= removed.cell.value.weight();
        self.len -= 1;
        loop {
            let next = self.next(at);
            let behind = self.slots[next].hash;
            if behind == 0 || self.distance(next, behind) == 0 {
                return;
            }
            self.slots.swap(at, next);
            at = next;
        }
    }

    /// Evicts entries until `surplus` bytes are free, but at most half of the weight.
    pub(super) fn shed(&mut self, surplus: usize, now: u64) {
        if self.weight == 0 {
            return;
        }
        let surplus = surplus.min(self.weight / 2);
        let live = self.candidates(now, |cell| cell.value.weight());
        let mut freed = self.weight - live.iter().map(Candidate::weight).sum::<usize>();
        let evicted = in_order(live).take_while(|entry| {
            let needed = freed < surplus;
            freed += entry.weight();
            needed
        });
        self.rebuild(evicted, self.slots.len(), now);
    }

    fn is_full(&self) -> bool {
        self.len >= self.max || self.len >= self.slots.len() / 8 * 7
    }

    /// Removes the expired entries around a slot.
    fn sweep(&mut self, mut at: usize, now: u64) {
        for _ in 0..SWEPT.min(self.slots.len()) {
            let slot = &self.slots[at];
            if slot.hash != 0 && slot.cell.deadline() < now {
                self.remove(at);
            } else {
                at = self.next(at);
            }
        }
    }

    /// Removes all expired entries and resizes for the others. If the shard is at its bound, evicts a sixteenth of the
    /// entries.
    fn make_room(&mut self, now: u64) {
        let live = self.live(now).count();
        let spared = self.max - (self.max / 16).max(1);
        let evicted = if live >= self.max { live - spared } else { 0 };
        let most = slots_for(self.max, 7, 8);
        let slots = if live >= spared { most } else { slots_for(live + 1, 7, 9).min(most) };
        let candidates = if evicted > 0 { self.candidates(now, |_| 1) } else { Vec::new() };
        self.rebuild(in_order(candidates).take(evicted), slots, now);
    }

    /// The live entries, with their slots.
    fn live(&self, now: u64) -> impl Iterator<Item = (usize, &Cell<T>)> {
        let live = move |slot: &Slot<T>| slot.hash != 0 && slot.cell.deadline() >= now;
        self.slots.iter().enumerate().filter(move |(_, slot)| live(slot)).map(|(at, slot)| (at, &slot.cell))
    }

    fn candidates(&self, now: u64, weight: impl Fn(&Cell<T>) -> usize) -> Vec<Candidate> {
        let candidate = |(slot, cell): (usize, &Cell<T>)| Candidate::new(slot, weight(cell), cell.until);
        self.live(now).map(candidate).collect()
    }

    /// Evicts entries, removes expired ones, and moves the others to `slots` slots.
    fn rebuild(&mut self, evicted: impl Iterator<Item = Candidate>, slots: usize, now: u64) {
        let before = self.evictions;
        for entry in evicted {
            self.slots[entry.slot()] = Slot::default();
            self.evictions += 1;
        }
        if self.evictions > before {
            observe::evicted(self.evictions - before);
        }
        let empty = (0..slots).map(|_| Slot::default()).collect();
        let old = std::mem::replace(&mut self.slots, empty);
        (self.len, self.weight) = (0, 0);
        for slot in old {
            if slot.hash != 0 && slot.cell.deadline() >= now {
                self.weight += slot.cell.value.weight();
                self.place(slot);
            }
        }
    }

    /// Puts an entry into its slot. Following entries move forward by one.
    fn place(&mut self, slot: Slot<T>) {
        let (Ok(mut at) | Err(mut at)) = self.seek(slot.hash);
        let mut carried = slot;
        self.len += 1;
        loop {
            std::mem::swap(&mut self.slots[at], &mut carried);
            if carried.hash == 0 {
                return;
            }
            at = self.next(at);
        }
    }

    /// The preferred slot of a hash, in proportion to its value, so that any number of slots works.
    #[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
    fn preferred(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// How far a slot is from the preferred slot of a hash.
    fn distance(&self, at: usize, hash: u64) -> usize {
        let preferred = self.preferred(hash);
        if at >= preferred { at - preferred } else { at + self.slots.len() - preferred }
    }

    /// The longest distance of an entry from its preferred slot.
    #[cfg(test)]
    pub(super) fn farthest(&self) -> usize {
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.hash != 0);
        used.map(|(at, slot)| self.distance(at, slot.hash)).max().unwrap_or(0)
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.slots.len() { at + 1 } else { 0 }
    }
}

/// The number of slots of which `entries` entries fill `of` in `every`.
fn slots_for(entries: usize, of: usize, every: usize) -> usize {
    (entries.div_ceil(of) * every).max(8)
}
