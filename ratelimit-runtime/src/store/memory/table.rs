//! A bounded hash table of entries that expire. It stores hashes instead of keys and needs no background task.

mod eviction;
mod shard;

pub(super) use shard::{Entry, Value};

use crate::lock::lock;
use parking_lot::{Mutex, MutexGuard};
use shard::Shard;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The approximate number of entries in a shard. It is so small that an operation on all of them takes microseconds.
const ENTRIES: usize = 2048;

/// The maximum number of shards that one call of `shed` visits.
const VISITS: usize = 16;

/// A hash table that is divided into shards, each with its own lock. The lowest bits of a key's hash select the shard, and the
/// highest bits select the slot.
pub(super) struct Table<T> {
    /// The shards. Their number is a power of two.
    shards: Box<[Locked<T>]>,
    max_weight: usize,
    /// The bytes that all values use on the heap.
    weight: AtomicUsize,
    /// The shard that `shed` visits next.
    next: AtomicUsize,
}

/// A shard with its lock, aligned to a cache line, so that threads in different shards do not share a line.
#[repr(align(64))]
struct Locked<T>(Mutex<Shard<T>>);

impl<T: Value> Table<T> {
    /// Creates a table for `max_keys` keys, whose values use at most `max_weight` bytes on the heap.
    ///
    /// Shards fill unevenly. Each shard has room for the mean plus six standard deviations, so that no shard evicts entries
    /// before the table holds `max_keys` keys.
    pub(super) fn new(max_keys: usize, max_weight: usize) -> Self {
        let shards = (max_keys / ENTRIES).max(1).next_power_of_two();
        let mean = max_keys.div_ceil(shards);
        let spare = if shards > 1 { 6 * mean.isqrt() } else { 0 };
        let shard = |_| Locked(Mutex::new(Shard::new(mean + spare)));
        let (weight, next) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { shards: (0..shards).map(shard).collect(), max_weight, weight, next }
    }

    /// Changes the entry of a key, as [`Shard::update`] does.
    #[inline]
    pub(super) fn update<R>(&self, hash: u64, now: u64, change: impl FnOnce(&mut Entry<T>) -> R) -> R {
        let mut shard = lock(&self.shards[self.shard_of(hash)].0);
        self.weighed(&mut shard, |shard| shard.update(hash, now, change))
    }

    /// Does the same as [`update`](Self::update), for values that use no bytes on the heap. If the entry of the key is at its
    /// preferred place, which holds for nearly all entries, it is changed there without a search.
    #[expect(clippy::inline_always, reason = "the change and its result then stay in registers")]
    #[inline(always)]
    pub(super) fn update_number<R>(&self, hash: u64, now: u64, change: impl FnOnce(&mut Entry<T>) -> R) -> R
    where
        T: Copy,
    {
        let mut shard = lock(&self.shards[self.shard_of(hash)].0);
        let mut taken = Entry::default();
        let at = shard.place_of(hash, now);
        // One call of `change`, so that it is inlined.
        let entry = if let Some(at) = at {
            shard.at(at)
        } else {
            taken = shard.take(hash, now);
            &mut taken
        };
        let changed = change(entry);
        if at.is_none() {
            shard.put_back(taken, now);
        }
        changed
    }

    /// Locks the shards of all these hashes, always in the same order, so that two callers cannot deadlock.
    pub(super) fn lock_all(&self, hashes: impl Iterator<Item = u64>) -> Guards<'_, T> {
        let mut shards: SmallVec<[usize; 4]> = hashes.map(|hash| self.shard_of(hash)).collect();
        shards.sort_unstable();
        shards.dedup();
        shards.into_iter().map(|at| (at, lock(&self.shards[at].0))).collect()
    }

    /// Changes the entry of a key whose shard is locked.
    #[expect(clippy::expect_used, reason = "`lock_all` has locked the shard of every hash of the stack")]
    pub(super) fn update_in<R>(
        &self,
        guards: &mut Guards<'_, T>,
        hash: u64,
        now: u64,
        change: impl FnOnce(&mut Entry<T>) -> R,
    ) -> R {
        let at = self.shard_of(hash);
        let guard = guards.iter_mut().find(|(locked, _)| *locked == at);
        let shard = &mut guard.expect("a hash of the stack").1;
        self.weighed(shard, |shard| shard.update(hash, now, change))
    }

    pub(super) fn len(&self) -> usize {
        self.sum(|shard| shard.len)
    }

    pub(super) fn bytes(&self) -> usize {
        self.sum(Shard::bytes) + size_of_val(&*self.shards)
    }

    pub(super) fn evictions(&self) -> u64 {
        self.sum(|shard| shard.evictions)
    }

    /// Evicts entries from the next shards while the values use too many bytes. The caller must not hold the lock of a shard.
    pub(super) fn shed(&self, now: u64) {
        for _ in 0..VISITS.min(self.shards.len()) {
            let surplus = self.weight.load(Ordering::Relaxed).saturating_sub(self.max_weight);
            if surplus == 0 {
                return;
            }
            let at = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
            self.weighed(&mut lock(&self.shards[at].0), |shard| shard.shed(surplus, now));
        }
    }

    /// Changes a shard. If this changes the weight of the shard, changes the weight of the table by the same difference.
    #[inline]
    fn weighed<R>(&self, shard: &mut Shard<T>, change: impl FnOnce(&mut Shard<T>) -> R) -> R {
        let before = shard.weight;
        let changed = change(shard);
        if shard.weight != before {
            // If the difference is negative, wrapping addition subtracts.
            self.weight.fetch_add(shard.weight.wrapping_sub(before), Ordering::Relaxed);
        }
        changed
    }

    fn sum<N: std::iter::Sum>(&self, of: impl Fn(&Shard<T>) -> N) -> N {
        self.shards.iter().map(|shard| of(&lock(&shard.0))).sum()
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
    fn shard_of(&self, hash: u64) -> usize {
        hash as usize & (self.shards.len() - 1)
    }
}

/// The locked shards of all keys of a stack, each with its index.
pub(super) type Guards<'t, T> = SmallVec<[(usize, MutexGuard<'t, Shard<T>>); 4]>;

#[cfg(test)]
mod tests;
