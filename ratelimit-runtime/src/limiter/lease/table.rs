//! `Leases`: the leases of a limiter, by a keyed hash of the key.

use super::key_lease::KeyLease;
use super::units::Taken;
use crate::clock::Timer;
use crate::key::HashKey;
use crate::limiter::single_task::SingleTask;
use crate::observe::LeasedUnitsGauge;
use crate::store::{Adjustment, Request, StoreKey};
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most keys with leased units. Calls of other keys ask the store.
const MOST_KEYS: usize = 10_000;

/// Threads seldom meet in a shard.
const SHARDS: usize = 64;

/// The leases of a limiter.
pub(in crate::limiter) struct Leases {
    hash_key: HashKey,
    timer: Timer,
    /// The number of keys in all shards.
    keys: AtomicUsize,
    shards: [Mutex<HashTable<Entry>>; SHARDS],
    /// The task that returns unused units.
    pub(super) returning: SingleTask,
    /// Whether limits with a lease take units in advance.
    pub(super) takes: bool,
    /// Measures the units that no call has used yet.
    pub(super) gauge: LeasedUnitsGauge,
}

struct Entry {
    hash: u64,
    lease: KeyLease,
}

impl Leases {
    /// The leases of a limiter, whose limits take units in advance if `takes` is true.
    pub(in crate::limiter) fn new(takes: bool) -> Self {
        Self {
            hash_key: HashKey::random(),
            timer: Timer::start(),
            keys: AtomicUsize::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
            returning: SingleTask::default(),
            takes,
            gauge: LeasedUnitsGauge::default(),
        }
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<Entry>> {
        // The hash table uses the highest and the lowest bits.
        self.shards[(hash >> 32) as usize % SHARDS].lock()
    }

    /// The moment now, by the timer of all leases.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.timer.micros()
    }

    /// Identifies the lease of a key.
    #[inline]
    pub(super) fn hash(&self, key: &StoreKey) -> u64 {
        self.hash_key.hash(key)
    }

    /// Hands out units to a request, if that needs no waiting.
    #[inline]
    pub(super) fn take(&self, request: &Request) -> Option<Taken> {
        if !self.takes {
            return None;
        }
        let hash = self.hash(request.key());
        let now = self.now();
        let mut shard = self.shard(hash);
        let units = &mut shard.find_mut(hash, |entry| entry.hash == hash)?.lease.units;
        if units.limit == *request.limit() { units.take(request.cost(), now) } else { None }
    }

    /// Accesses the lease of a key, if there is one.
    pub(super) fn with<R>(&self, hash: u64, act: impl FnOnce(&mut KeyLease) -> R) -> Option<R> {
        self.shard(hash).find_mut(hash, |entry| entry.hash == hash).map(|entry| act(&mut entry.lease))
    }

    /// Accesses the lease of a request's key, and creates a missing one. Returns `None` if the table is full.
    pub(super) fn with_inserted<R>(
        &self,
        hash: u64,
        request: &Request,
        act: impl FnOnce(&mut KeyLease) -> R,
    ) -> Option<R> {
        let mut shard = self.shard(hash);
        if let Some(entry) = shard.find_mut(hash, |entry| entry.hash == hash) {
            return Some(act(&mut entry.lease));
        }
        if self.keys.fetch_add(1, Ordering::Relaxed) >= MOST_KEYS {
            self.keys.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let entry = Entry { hash, lease: KeyLease::new(request, self.now()) };
        let mut inserted = shard.insert_unique(hash, entry, |entry| entry.hash);
        Some(act(&mut inserted.get_mut().lease))
    }

    /// Removes the units of a key, which are to be returned.
    pub(in crate::limiter) fn take_back(&self, key: &StoreKey) -> Vec<Adjustment> {
        let now = self.now();
        self.with(self.hash(key), |lease| lease.restart(lease.units.limit, now)).unwrap_or_default()
    }

    /// Forgets the keys that no call uses. Returns whether a key is left.
    pub(super) fn forget_idle(&self) -> bool {
        let now = self.now();
        for shard in &self.shards {
            let mut shard = shard.lock();
            let before = shard.len();
            shard.retain(|entry| !entry.lease.is_idle(now));
            self.keys.fetch_sub(before - shard.len(), Ordering::Relaxed);
        }
        self.keys.load(Ordering::Relaxed) > 0
    }

    /// Collects what `of` returns for each lease.
    pub(super) fn collect<R, I: IntoIterator<Item = R>>(
        &self,
        mut of: impl FnMut(&mut KeyLease) -> I,
    ) -> Vec<R> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(shard.lock().iter_mut().flat_map(|entry| of(&mut entry.lease)));
        }
        all
    }
}
