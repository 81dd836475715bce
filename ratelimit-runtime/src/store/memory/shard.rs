//! A small part of a table: entries in the order of their hashes, so that a search ends early where it is nearly full.

use super::nearest::Nearest;

/// What entries hold.
pub(super) trait Value: Default {
    /// Bytes beyond the entry.
    fn weight(&self) -> usize;
}

impl Value for u64 {
    fn weight(&self) -> usize {
        0
    }
}

/// The state of one limit under one key. As in Redis it is there until its deadline has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell<T> {
    pub(super) value: T,
    /// In the clock's milliseconds.
    pub(super) deadline: u64,
}

/// An entry; its hash is 0 where there is none.
#[derive(Default)]
struct Slot<T> {
    hash: u64,
    cell: Cell<T>,
}

/// Few enough entries that looking at all of them takes microseconds.
#[repr(align(64))] // a cache line each, so that threads in different shards are in nobody's way
pub(super) struct Shard<T> {
    slots: Box<[Slot<T>]>,
    len: usize,
    max: usize,
    weight: usize,
    evictions: u64,
}

/// Slots near a new entry whose expired entries are removed for it.
const SWEPT: usize = 8;

impl<T: Value> Shard<T> {
    /// For at most so many entries. Nothing is allocated yet.
    pub(super) fn new(max: usize) -> Self {
        Self { slots: Box::default(), len: 0, max: max.max(1), weight: 0, evictions: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of all entries, and what is not filled yet.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + self.weight
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// How many living entries were forgotten for others.
    pub(super) fn evictions(&self) -> u64 {
        self.evictions
    }

    /// Where the entry of a hash is, or else would be.
    pub(super) fn seek(&self, hash: u64) -> Result<usize, usize> {
        let mut at = self.home(hash);
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

    /// Changes an entry, and minds what it weighs.
    pub(super) fn change<R>(&mut self, at: usize, change: impl FnOnce(&mut Cell<T>) -> R) -> R {
        let cell = &mut self.slots[at].cell;
        let before = cell.value.weight();
        let changed = change(cell);
        self.weight = self.weight + cell.value.weight() - before;
        changed
    }

    /// An entry where there was none. Expired ones make room for it, or the shard grows, or those that are nearest to
    /// their expiry are forgotten.
    pub(super) fn insert(&mut self, hash: u64, cell: Cell<T>, now: u64) {
        self.sweep(self.home(hash), now);
        if self.is_full() {
            self.make_room(now);
        }
        self.weight += cell.value.weight();
        self.place(Slot { hash, cell });
    }

    /// Removes an entry. Those behind it that are not at home move up.
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

    /// Forgets entries with so many bytes, or with half of what is here: first those that are nearest to their expiry.
    pub(super) fn shed(&mut self, surplus: usize, now: u64) {
        if self.weight == 0 {
            return;
        }
        let surplus = surplus.min(self.weight / 2);
        let mut weights: Vec<(u64, usize)> =
            self.living(now).map(|cell| (cell.deadline, cell.value.weight())).collect();
        weights.sort_unstable_by_key(|(deadline, _)| *deadline);
        let mut freed = self.weight - weights.iter().map(|(_, weight)| weight).sum::<usize>();
        let enough = weights.iter().take_while(|(_, weight)| {
            let more = freed < surplus;
            freed += weight;
            more
        });
        let forgotten = enough.count();
        self.forget(forgotten, self.slots.len(), now);
    }

    fn is_full(&self) -> bool {
        self.len >= self.max || self.len >= self.slots.len() / 8 * 7
    }

    /// Removes the expired entries around a slot.
    fn sweep(&mut self, mut at: usize, now: u64) {
        for _ in 0..SWEPT.min(self.slots.len()) {
            let slot = &self.slots[at];
            if slot.hash != 0 && slot.cell.deadline < now {
                self.remove(at);
            } else {
                at = self.next(at);
            }
        }
    }

    /// Removes all expired entries, takes as much space as is right for the others, and at the bound forgets the
    /// sixteenth part.
    fn make_room(&mut self, now: u64) {
        let living = self.living(now).count();
        let spared = self.max - (self.max / 16).max(1);
        let forgotten = if living >= self.max { living - spared } else { 0 };
        let most = slots_for(self.max, 7, 8);
        let slots = slots_for(living - forgotten + 1, 7, 10).min(most);
        self.forget(forgotten, if living >= spared { most } else { slots }, now);
    }

    fn living(&self, now: u64) -> impl Iterator<Item = &Cell<T>> {
        self.slots
            .iter()
            .filter(move |slot| slot.hash != 0 && slot.cell.deadline >= now)
            .map(|slot| &slot.cell)
    }

    /// Keeps all living entries but so many that are nearest to their expiry, in so many slots.
    fn forget(&mut self, count: usize, slots: usize, now: u64) {
        let mut nearest = Nearest::new(self.living(now).map(|cell| cell.deadline), count);
        let empty = (0..slots).map(|_| Slot::default()).collect();
        let old = std::mem::replace(&mut self.slots, empty);
        (self.len, self.weight) = (0, 0);
        for slot in old {
            let deadline = slot.cell.deadline;
            if slot.hash != 0 && deadline >= now && !nearest.takes(deadline) {
                self.weight += slot.cell.value.weight();
                self.place(slot);
            }
        }
        self.evictions += count as u64;
    }

    /// Puts an entry at its place. Those behind it move on by one.
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

    /// Where a hash would be if it were alone: in proportion to its value, so that any number of slots will do.
    #[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// How far from home a hash at a slot is.
    fn distance(&self, at: usize, hash: u64) -> usize {
        let home = self.home(hash);
        if at >= home { at - home } else { at + self.slots.len() - home }
    }

    /// The longest way from home.
    #[cfg(test)]
    pub(super) fn farthest(&self) -> usize {
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.hash != 0);
        used.map(|(at, slot)| self.distance(at, slot.hash)).max().unwrap_or(0)
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.slots.len() { at + 1 } else { 0 }
    }
}

/// Slots of which so many entries fill `of` in `every`.
fn slots_for(entries: usize, of: usize, every: usize) -> usize {
    (entries.div_ceil(of) * every).max(8)
}
