//! A bounded table of cells that expire: no key is stored, nothing is swept by a timer, nothing grows for ever.

use super::shard::{Cell, Shard, Value};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries of a shard, about: few enough that an operation which looks at all of them takes microseconds.
const ENTRIES: usize = 2048;

/// Shards that one operation looks at to shed weight.
const VISITS: usize = 16;

/// The hash of a key: one half for the table inside a shard, the other for the choice of the shard.
pub(super) type Hash = [u64; 2];

pub(super) struct Table<T> {
    /// A power of two of them.
    shards: Box<[Mutex<Shard<T>>]>,
    max_weight: usize,
    /// What the entries hold beyond themselves.
    weight: AtomicUsize,
    /// The shard that sheds next.
    hand: AtomicUsize,
}

impl<T: Value> Table<T> {
    /// For so many keys, and so many bytes beyond the entries.
    ///
    /// Chance does not fill all shards alike: each has room for six standard deviations more than the mean, so that none
    /// forgets anything before there are more keys.
    pub(super) fn new(max_keys: usize, max_weight: usize) -> Self {
        let shards = (max_keys / ENTRIES).max(1).next_power_of_two();
        let mean = max_keys.div_ceil(shards);
        let spare = if shards > 1 { 6 * mean.isqrt() } else { 0 };
        let shard = |_| Mutex::new(Shard::new(mean + spare));
        let (weight, hand) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { shards: (0..shards).map(shard).collect(), max_weight, weight, hand }
    }

    pub(super) fn lock(&self, hash: Hash) -> Guard<'_, T> {
        self.lock_shard(self.shard_of(hash))
    }

    /// Locks the shards of all these hashes, in the one order that all callers use.
    pub(super) fn lock_all(&self, hashes: impl Iterator<Item = Hash>) -> Guards<'_, T> {
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

    /// Forgets what is nearest to its expiry in the next shards, while the entries hold too much. Not while a shard is
    /// locked.
    pub(super) fn shed(&self, now: u64) {
        for _ in 0..VISITS.min(self.shards.len()) {
            let surplus = self.weight.load(Ordering::Relaxed).saturating_sub(self.max_weight);
            if surplus == 0 {
                return;
            }
            let at = self.hand.fetch_add(1, Ordering::Relaxed) % self.shards.len();
            self.lock_shard(at).shard.shed(surplus, now);
        }
    }

    fn sum<N: std::iter::Sum>(&self, of: impl Fn(&Shard<T>) -> N) -> N {
        (0..self.shards.len()).map(|at| of(&self.lock_shard(at).shard)).sum()
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
    fn shard_of(&self, hash: Hash) -> usize {
        hash[1] as usize & (self.shards.len() - 1)
    }

    fn lock_shard(&self, at: usize) -> Guard<'_, T> {
        // A shard is whole between two statements, so a panic elsewhere in a holder leaves nothing half done.
        let shard = self.shards[at].lock().unwrap_or_else(PoisonError::into_inner);
        Guard { weighed: shard.weight(), shard, weight: &self.weight }
    }
}

/// A locked shard.
pub(super) struct Guard<'t, T: Value> {
    shard: MutexGuard<'t, Shard<T>>,
    /// What it weighed when it was locked.
    weighed: usize,
    weight: &'t AtomicUsize,
}

impl<T: Value> Guard<'_, T> {
    /// The place of a key. What is dead there is forgotten for good, also by a clock that steps back.
    pub(super) fn entry(&mut self, hash: Hash, now: u64) -> Entry<'_, T> {
        // 0 is no hash, see `Slot`.
        let hash = hash[0].max(1);
        let at = self.shard.seek(hash).ok();
        if let Some(dead) = at.filter(|at| self.shard.cell(*at).deadline < now) {
            // Its slot is kept for the next charge, until it is swept.
            self.shard.change(dead, |cell| *cell = Cell::default());
        }
        Entry { shard: &mut self.shard, hash, at, now }
    }
}

impl<T: Value> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        let (before, after) = (self.weighed, self.shard.weight());
        if after != before {
            // Wrapping, as the sum of differences may.
            self.weight.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
        }
    }
}

/// The place of a key in its locked shard.
pub(super) struct Entry<'s, T> {
    shard: &'s mut Shard<T>,
    hash: u64,
    at: Option<usize>,
    now: u64,
}

impl<T: Value> Entry<'_, T> {
    /// The living cell that is there.
    pub(super) fn cell(&self) -> Option<&Cell<T>> {
        self.living().map(|at| self.shard.cell(at))
    }

    fn living(&self) -> Option<usize> {
        self.at.filter(|at| self.shard.cell(*at).deadline >= self.now.max(1))
    }

    pub(super) fn set(self, cell: Cell<T>) {
        match self.at {
            Some(at) => self.shard.change(at, |old| *old = cell),
            None => self.shard.insert(self.hash, cell, self.now),
        }
    }

    /// Changes the cell, which is made if there is none.
    pub(super) fn change_or_make<R>(
        self,
        make: impl FnOnce() -> Cell<T>,
        change: impl FnOnce(&mut Cell<T>) -> R,
    ) -> R {
        if let Some(at) = self.living() {
            return self.shard.change(at, change);
        }
        let mut cell = make();
        let changed = change(&mut cell);
        self.set(cell);
        changed
    }

    /// Changes the living cell that is there.
    pub(super) fn change<R>(&mut self, change: impl FnOnce(&mut Cell<T>) -> R) -> Option<R> {
        self.living().map(|at| self.shard.change(at, change))
    }

    /// Removes the cell. Returns whether it was alive.
    pub(super) fn remove(self) -> bool {
        let existed = self.living().is_some();
        if let Some(at) = self.at {
            self.shard.remove(at);
        }
        existed
    }
}

/// The locked shards of a stack.
pub(super) struct Guards<'t, T: Value> {
    table: &'t Table<T>,
    locked: SmallVec<[(usize, Guard<'t, T>); 4]>,
}

impl<'t, T: Value> Guards<'t, T> {
    #[expect(clippy::expect_used, reason = "`lock_all` has locked the shard of every hash of the stack")]
    pub(super) fn of(&mut self, hash: Hash) -> &mut Guard<'t, T> {
        let shard = self.table.shard_of(hash);
        let guard = self.locked.iter_mut().find(|(locked, _)| *locked == shard);
        &mut guard.expect("a hash of the stack").1
    }
}

#[cfg(test)]
mod tests;
