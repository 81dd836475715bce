//! `Leases`: the leases of a limiter, in a table by a keyed hash of the key.

use super::key_lease::KeyLease;
use super::units::Taken;
use crate::clock::Timer;
use crate::limiter::layers::Refusals;
use crate::limiter::single_task::SingleTask;
use crate::observe::LeasedUnitsGauge;
use crate::store::{Adjustment, Request, StoreKey};
use crate::tasks::Tasks;
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of keys with leased units. Calls of further keys ask the store.
const MOST_KEYS: usize = 10_000;

/// The number of shards. With this many, threads seldom wait for the lock of a shard.
const SHARDS: usize = 64;

/// The leases of a limiter.
pub(in crate::limiter) struct Leases {
    pub(super) below: Arc<Refusals>,
    /// Counts the fetches and the returns of units.
    pub(super) tasks: Tasks,
    timer: Timer,
    /// The number of keys in all shards.
    keys: AtomicUsize,
    shards: [Mutex<HashTable<Entry>>; SHARDS],
    /// The task that returns unused units.
    pub(super) returning: SingleTask,
    /// Whether limits with a lease take units in advance.
    pub(super) takes: bool,
    /// Reports the number of leased units that no call has used yet.
    pub(super) gauge: LeasedUnitsGauge,
}

struct Entry {
    hash: u64,
    lease: KeyLease,
}

impl Leases {
    /// Creates the leases of a limiter. Its limits take units in advance if `takes` is true.
    pub(in crate::limiter) fn new(below: Arc<Refusals>, tasks: Tasks, takes: bool) -> Self {
        Self {
            below,
            tasks,
            timer: Timer::start(),
            keys: AtomicUsize::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
            returning: SingleTask::default(),
            takes,
            gauge: LeasedUnitsGauge::default(),
        }
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<Entry>> {
        // The bits in the middle select the shard, because the hash table uses the highest and the lowest bits.
        self.shards[(hash >> 32) as usize % SHARDS].lock()
    }

    /// Returns the current time of the timer that all leases share, in microseconds.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.timer.micros()
    }

    /// Hands out leased units to a request. Returns `None` if too few are usable.
    #[inline]
    pub(super) fn take(&self, request: &Request) -> Option<Taken> {
        let hash = request.key().hash();
        let now = self.now();
        let mut shard = self.shard(hash);
        let units = &mut shard.find_mut(hash, |entry| entry.hash == hash)?.lease.units;
        if units.limit == *request.limit() { units.take(request.cost(), now) } else { None }
    }

    /// Calls `act` with the lease of a key. Returns `None` if the key has no lease.
    pub(super) fn with<R>(&self, hash: u64, act: impl FnOnce(&mut KeyLease) -> R) -> Option<R> {
        self.shard(hash).find_mut(hash, |entry| entry.hash == hash).map(|entry| act(&mut entry.lease))
    }

    /// Calls `act` with the lease of a request's key. If the key has no lease, creates one. Returns `None` if the table is full.
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

    /// Removes the units of a key. Returns the adjustments that return them.
    pub(in crate::limiter) fn take_back(&self, key: &StoreKey) -> Vec<Adjustment> {
        let now = self.now();
        self.with(key.hash(), |lease| lease.restart(lease.units.limit, now)).unwrap_or_default()
    }

    /// Removes the leases of keys that no call uses. Returns whether any lease is left.
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
