//! One shard of a table: a hash table with linear probing, whose entries are in the order of their hashes, so that a
//! search ends early even if the shard is nearly full.
//!
//! A shard is unlocked as soon as the new state is stored. The decision is computed afterwards, from what was read. Each
//! insertion clears the expired entries around it.

use super::eviction::{Candidate, deadline, in_order, until, without_limit};
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
#[derive(Debug, Default)]
pub(in crate::store::memory) struct Entry<T> {
    /// The hash of the key. 0 in an empty slot.
    hash: u64,
    pub(in crate::store::memory) value: T,
    /// The deadline, and the bits that decide about eviction (see [`until`]). 0 if there is no state.
    until: u64,
}

impl<T: Default> Entry<T> {
    /// The deadline, in milliseconds of the clock. 0 if there is no state.
    #[inline]
    pub(in crate::store::memory) fn deadline(&self) -> u64 {
        deadline(self.until)
    }

    /// Sets a state that leaves `room` units of its limit free.
    #[inline]
    pub(in crate::store::memory) fn set(&mut self, value: T, deadline: u64, limit: &Limit, room: i64) {
        self.value = value;
        self.set_end(deadline, limit, room);
    }

    /// Sets the deadline of a state that leaves `room` units of its limit free.
    #[inline]
    pub(in crate::store::memory) fn set_end(&mut self, deadline: u64, limit: &Limit, room: i64) {
        self.until = until(deadline, limit, room);
    }

    /// Sets a value that belongs to no limit, and the deadline if it is later than before.
    pub(in crate::store::memory) fn extend(&mut self, value: T, deadline: u64) {
        self.value = value;
        self.until = self.until.max(without_limit(deadline));
    }

    /// Removes the state. Returns whether there was one.
    pub(in crate::store::memory) fn clear(&mut self) -> bool {
        let existed = self.deadline() > 0;
        (self.value, self.until) = (T::default(), 0);
        existed
    }

    fn is_alive(&self, now: u64) -> bool {
        self.hash != 0 && self.deadline() >= now
    }
}

/// A part of the table. It has so few entries that an operation on all of them takes microseconds.
pub(in crate::store::memory) struct Shard<T> {
    slots: Box<[Entry<T>]>,
    pub(super) len: usize,
    max: usize,
    /// The bytes that all values use on the heap.
    pub(super) weight: usize,
    /// The number of entries that were evicted before they expired.
    pub(super) evictions: u64,
}

/// The number of slots around a new entry that are cleared of expired entries.
const SWEPT: usize = 8;

impl<T: Value> Shard<T> {
    /// Creates a shard for at most `max` entries. Allocates nothing yet.
    pub(super) fn new(max: usize) -> Self {
        Self { slots: Box::default(), len: 0, max: max.max(1), weight: 0, evictions: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + self.weight
    }

    /// Returns the place of the entry of a key if it is the preferred one, and if the entry has not expired.
    #[inline]
    pub(super) fn place_of(&self, hash: u64, now: u64) -> Option<usize> {
        let at = self.preferred(hash);
        let entry = self.slots.get(at)?;
        (entry.hash == hash && entry.deadline() >= now && hash != 0).then_some(at)
    }

    #[inline]
    pub(super) fn at(&mut self, at: usize) -> &mut Entry<T> {
        &mut self.slots[at]
    }

    /// Returns a copy of the entry of a key. If there is none, or if it has expired, returns a new entry.
    #[cold]
    #[inline(never)]
    pub(super) fn take(&mut self, hash: u64, now: u64) -> Entry<T>
    where
        T: Copy,
    {
        // In a slot, 0 means that there is no entry.
        let hash = hash.max(1);
        let found = self.seek(hash).ok().map(|at| &self.slots[at]).filter(|entry| entry.deadline() >= now);
        found.map_or_else(|| Entry { hash, ..Entry::default() }, |entry| Entry { ..*entry })
    }

    /// Stores an entry that [`take`](Self::take) has returned, in place of the old one.
    #[cold]
    #[inline(never)]
    pub(super) fn put_back(&mut self, entry: Entry<T>, now: u64) {
        self.update(entry.hash, now, |stored| *stored = entry);
    }

    /// Changes the entry of a key. If the entry has a deadline afterwards, it is stored, otherwise it is removed.
    #[inline]
    pub(super) fn update<R>(&mut self, hash: u64, now: u64, change: impl FnOnce(&mut Entry<T>) -> R) -> R {
        // In a slot, 0 means that there is no entry.
        let hash = hash.max(1);
        let found = self.seek(hash);
        let mut new = Entry { hash, ..Entry::default() };
        let entry = match found {
            Ok(at) => &mut self.slots[at],
            Err(_) => &mut new,
        };
        let before = entry.value.weight();
        if entry.deadline() < now {
            // The expired state must not reappear if the clock steps back.
            entry.clear();
        }
        let changed = change(entry);
        let (weight, exists) = (entry.value.weight(), entry.deadline() > 0);
        match found {
            Ok(at) => {
                self.weight = self.weight + weight - before;
                if !exists {
                    self.remove(at);
                }
            }
            Err(_) if exists => self.insert(new, now),
            Err(_) => {}
        }
        changed
    }

    /// Finds the slot of the entry with this hash. If there is no such entry, returns an `Err` with the slot where the entry
    /// would be inserted.
    fn seek(&self, hash: u64) -> Result<usize, usize> {
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

    /// Inserts an entry. If the shard is full, removes expired entries, grows, or evicts entries.
    #[cold]
    fn insert(&mut self, entry: Entry<T>, now: u64) {
        self.sweep(self.preferred(entry.hash), now);
        if self.is_full() {
            self.make_room(now);
        }
        self.weight += entry.value.weight();
        self.place(entry);
    }

    /// Removes an entry. Following entries that are not in their preferred slot move back by one.
    #[cold]
    fn remove(&mut self, mut at: usize) {
        let removed = std::mem::take(&mut self.slots[at]);
        self.weight -= removed.value.weight();
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

    /// Evicts entries whose values use `surplus` bytes, but at most half of the bytes that all values of this shard use.
    pub(super) fn shed(&mut self, surplus: usize, now: u64) {
        if self.weight == 0 {
            return;
        }
        let surplus = surplus.min(self.weight / 2);
        let live = self.candidates(now, |entry| entry.value.weight());
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
            if slot.hash != 0 && slot.deadline() < now {
                self.remove(at);
            } else {
                at = self.next(at);
            }
        }
    }

    /// Removes all expired entries, and chooses a number of slots that fits the remaining entries. If the shard still holds its
    /// maximum number of entries, evicts a sixteenth of these entries.
    fn make_room(&mut self, now: u64) {
        let live = self.live(now).count();
        let spared = self.max - (self.max / 16).max(1);
        let evicted = if live >= self.max { live - spared } else { 0 };
        let most = slots_for(self.max, 7, 8);
        let slots = if live >= spared { most } else { slots_for(live + 1, 7, 9).min(most) };
        let candidates = if evicted > 0 { self.candidates(now, |_| 1) } else { Vec::new() };
        self.rebuild(in_order(candidates).take(evicted), slots, now);
    }

    fn live(&self, now: u64) -> impl Iterator<Item = (usize, &Entry<T>)> {
        self.slots.iter().enumerate().filter(move |(_, slot)| slot.is_alive(now))
    }

    fn candidates(&self, now: u64, weight: impl Fn(&Entry<T>) -> usize) -> Vec<Candidate> {
        self.live(now).map(|(slot, entry)| Candidate::new(slot, weight(entry), entry.until)).collect()
    }

    /// Evicts entries, removes expired ones, and moves the others to `slots` slots.
    fn rebuild(&mut self, evicted: impl Iterator<Item = Candidate>, slots: usize, now: u64) {
        let before = self.evictions;
        for entry in evicted {
            self.slots[entry.slot()] = Entry::default();
            self.evictions += 1;
        }
        if self.evictions > before {
            observe::evicted(self.evictions - before);
        }
        let empty = (0..slots).map(|_| Entry::default()).collect();
        let old = std::mem::replace(&mut self.slots, empty);
        (self.len, self.weight) = (0, 0);
        for entry in old.into_iter().filter(|entry| entry.is_alive(now)) {
            self.weight += entry.value.weight();
            self.place(entry);
        }
    }

    /// Puts an entry into its slot. Following entries move forward by one.
    fn place(&mut self, entry: Entry<T>) {
        let (Ok(mut at) | Err(mut at)) = self.seek(entry.hash);
        let mut carried = entry;
        self.len += 1;
        loop {
            std::mem::swap(&mut self.slots[at], &mut carried);
            if carried.hash == 0 {
                return;
            }
            at = self.next(at);
        }
    }

    /// Returns the preferred slot of a hash. The slot is proportional to the hash, so that the number of slots need not be a
    /// power of two.
    #[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
    fn preferred(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// Returns the distance of a slot from the preferred slot of a hash.
    fn distance(&self, at: usize, hash: u64) -> usize {
        let preferred = self.preferred(hash);
        if at >= preferred { at - preferred } else { at + self.slots.len() - preferred }
    }

    /// Returns the longest distance of an entry from its preferred slot.
    #[cfg(test)]
    pub(super) fn farthest(&self) -> usize {
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.hash != 0);
        used.map(|(at, slot)| self.distance(at, slot.hash)).max().unwrap_or(0)
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.slots.len() { at + 1 } else { 0 }
    }
}

/// Returns a number of slots that `entries` entries fill to the fraction `of / every`. The number is at least 8.
fn slots_for(entries: usize, of: usize, every: usize) -> usize {
    (entries.div_ceil(of) * every).max(8)
}
