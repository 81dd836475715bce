//! A bounded hash table of cells that expire. It stores hashes instead of keys and needs no background task.

mod eviction;
mod shard;

pub(super) use shard::{Cell, Number, Value};

use crate::limit::Limit;
use crate::lock::lock;
use eviction::Claim;
use parking_lot::{Mutex, MutexGuard};
use shard::Shard;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The approximate number of entries in a shard, so that an operation on all of them takes microseconds.
const ENTRIES: usize = 2048;

/// The number of shards that one call of `shed` visits.
const VISITS: usize = 16;

/// Cells in shards, each with its own lock. The lowest bits of a key's hash select the shard, the highest bits select the slot.
pub(super) struct Table<T> {
    /// Their number is a power of two.
    shards: Box<[Locked<T>]>,
    max_weight: usize,
    /// The bytes that all values use on the heap.
    weight: AtomicUsize,
    /// The shard that `shed` visits next.
    next: AtomicUsize,
}

/// A shard with its lock, in one cache line, so that threads in different shards do not share a line.
#[repr(align(64))]
struct Locked<T>(Mutex<Shard<T>>);

impl<T: Value> Table<T> {
    /// Creates a table for `max_keys` keys, whose values use at most `max_weight` bytes on the heap.
    ///
    /// Shards fill unevenly. Each has room for six standard deviations above the mean, so that no shard evicts entries
    /// before the table holds `max_keys` keys.
    pub(super) fn new(max_keys: usize, max_weight: usize) -> Self {
        let shards = (max_keys / ENTRIES).max(1).next_power_of_two();
        let mean = max_keys.div_ceil(shards);
        let spare = if shards > 1 { 6 * mean.isqrt() } else { 0 };
        let shard = |_| Locked(Mutex::new(Shard::new(mean + spare)));
        let (weight, next) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { shards: (0..shards).map(shard).collect(), max_weight, weight, next }
    }

    #[inline]
    pub(super) fn lock(&self, hash: u64) -> Guard<'_, T> {
        self.lock_shard(self.shard_of(hash))
    }

    /// Locks the shards of all these hashes, always in the same order, so that two callers cannot block each other.
    pub(super) fn lock_all(&self, hashes: impl Iterator<Item = u64>) -> Guards<'_, T> {
        let mut shards: SmallVec<[usize; 4]> = hashes.map(|hash| self.shard_of(hash)).collect();
        shards.sort_unstable();
        shards.dedup();
        Guards { table: self, locked: shards.into_iter().map(|at| (at, self.lock_shard(at))).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.sum(Shard::len)
    }

    pub(super) fn bytes(&self) -> usize {
        self.sum(Shard::bytes) + size_of_val(&*self.shards)
    }

    pub(super) fn evictions(&self) -> u64 {
        self.sum(Shard::evictions)
    }

    /// Evicts entries from the next shards, while the values use too many bytes. The caller must not
    /// hold the lock of a shard.
    pub(super) fn shed(&self, now: u64) {
        for _ in 0..VISITS.min(self.shards.len()) {
            let surplus = self.weight.load(Ordering::Relaxed).saturating_sub(self.max_weight);
            if surplus == 0 {
                return;
            }
            let at = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
            self.lock_shard(at).shard.shed(surplus, now);
        }
    }

    fn sum<N: std::iter::Sum>(&self, of: impl Fn(&Shard<T>) -> N) -> N {
        (0..self.shards.len()).map(|at| of(&self.lock_shard(at).shard)).sum()
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
    fn shard_of(&self, hash: u64) -> usize {
        hash as usize & (self.shards.len() - 1)
    }

    fn lock_shard(&self, at: usize) -> Guard<'_, T> {
        let shard = lock(&self.shards[at].0);
        Guard { weight_before: shard.weight(), shard, weight: &self.weight }
    }
}

/// A locked shard.
pub(super) struct Guard<'t, T: Value> {
    shard: MutexGuard<'t, Shard<T>>,
    /// The shard's weight when it was locked.
    weight_before: usize,
    weight: &'t AtomicUsize,
}

impl<T: Value> Guard<'_, T> {
    /// The entry of a key. An expired cell is cleared, so that a clock that steps back does not bring it back.
    pub(super) fn entry(&mut self, hash: u64, now: u64) -> Entry<'_, T> {
        // In `Slot`, 0 means that there is no entry.
        let hash = hash.max(1);
        let at = self.shard.seek(hash).ok();
        if let Some(expired) = at.filter(|at| self.shard.cell(*at).deadline() < now) {
            // The slot stays for the next charge, or until it is swept.
            self.shard.change(expired, |cell| *cell = Cell::default());
        }
        Entry { shard: &mut self.shard, hash, at, now }
    }
}

impl<T: Value> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        let (before, after) = (self.weight_before, self.shard.weight());
        if after != before {
            // The difference can be negative; wrapping addition then subtracts.
            self.weight.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
        }
    }
}

/// The entry of a key in its locked shard, or the slot for it.
pub(super) struct Entry<'s, T> {
    shard: &'s mut Shard<T>,
    hash: u64,
    at: Option<usize>,
    now: u64,
}

impl<T: Value> Entry<'_, T> {
    /// The live cell, if there is one.
    pub(super) fn cell(&self) -> Option<&Cell<T>> {
        self.live().map(|at| self.shard.cell(at))
    }

    fn live(&self) -> Option<usize> {
        self.at.filter(|at| self.shard.cell(*at).deadline() >= self.now.max(1))
    }

    #[inline]
    pub(super) fn set(self, cell: Cell<T>) {
        match self.at {
            Some(at) => self.shard.change(at, |old| *old = cell),
            None => self.shard.insert(self.hash, cell, self.now),
        }
    }

    /// Changes the live cell, and makes a missing one first.
    pub(super) fn change_or_make<R>(
        self,
        make: impl FnOnce() -> Cell<T>,
        change: impl FnOnce(&mut Cell<T>) -> R,
    ) -> R {
        if let Some(at) = self.live() {
            return self.shard.change(at, change);
        }
        let mut cell = make();
        let changed = change(&mut cell);
        self.set(cell);
        changed
    }

    /// Changes the live cell, if there is one.
    pub(super) fn change<R>(&mut self, change: impl FnOnce(&mut Cell<T>) -> R) -> Option<R> {
        self.live().map(|at| self.shard.change(at, change))
    }

    /// Removes the cell. Returns whether it was alive.
    pub(super) fn remove(self) -> bool {
        let existed = self.live().is_some();
        if let Some(at) = self.at {
            self.shard.remove(at);
        }
        existed
    }
}

impl Entry<'_, u64> {
    pub(super) fn number(&self) -> Option<Number> {
        self.cell().map(|cell| Number { value: cell.value, deadline: cell.deadline() })
    }

    #[inline]
    pub(super) fn set_number(self, number: Number, limit: &Limit, room: i64) {
        self.set(Cell::new(number.value, number.deadline, Claim::new(limit, room)));
    }
}

/// The locked shards of all keys of a stack.
pub(super) struct Guards<'t, T: Value> {
    table: &'t Table<T>,
    locked: SmallVec<[(usize, Guard<'t, T>); 4]>,
}

impl<'t, T: Value> Guards<'t, T> {
    #[expect(clippy::expect_used, reason = "`lock_all` has locked the shard of every hash of the stack")]
    pub(super) fn of(&mut self, hash: u64) -> &mut Guard<'t, T> {
        let shard = self.table.shard_of(hash);
        let guard = self.locked.iter_mut().find(|(locked, _)| *locked == shard);
        &mut guard.expect("a hash of the stack").1
    }
}

#[cfg(test)]
mod tests;
