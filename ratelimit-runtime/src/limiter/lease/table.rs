//! `Leases`: the leases of a limiter, by a keyed hash of the key.

use super::super::single_task::SingleTask;
use super::key_lease::KeyLease;
use crate::decision::Decision;
use crate::key::HashKey;
use crate::store::{Request, StoreKey};
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most keys with leased units. Calls of other keys ask the store.
const MOST_KEYS: usize = 10_000;

/// Threads seldom meet in a shard.
const SHARDS: usize = 64;

/// The leases of a limiter.
pub(in super::super) struct Leases {
    hash_key: HashKey,
    /// The number of keys in all shards.
    keys: AtomicUsize,
    shards: [Mutex<HashTable<Entry>>; SHARDS],
    /// The task that returns unused units.
    pub(super) returning: SingleTask,
}

struct Entry {
    hash: u64,
    lease: Arc<KeyLease>,
}

impl Default for Leases {
    fn default() -> Self {
        Self {
            hash_key: HashKey::random(),
            keys: AtomicUsize::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
            returning: SingleTask::default(),
        }
    }
}

impl Leases {
    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<Entry>> {
        // The hash table uses the highest and the lowest bits.
        self.shards[(hash >> 32) as usize % SHARDS].lock()
    }

    /// Hands out units to a request, if that needs no waiting. The lease stays in the table, so that its owners need not be counted.
    #[inline]
    pub(in super::super) fn take(&self, request: &Request) -> Option<Decision> {
        let hash = self.hash_key.hash(request.key());
        self.shard(hash).find(hash, |entry| entry.hash == hash)?.lease.take(request)
    }

    /// Returns the lease of a key, and creates a missing one. Returns `None` if the table is full.
    pub(super) fn get_or_insert(&self, request: &Request) -> Option<Arc<KeyLease>> {
        let hash = self.hash_key.hash(request.key());
        let mut shard = self.shard(hash);
        if let Some(entry) = shard.find(hash, |entry| entry.hash == hash) {
            return Some(Arc::clone(&entry.lease));
        }
        if self.keys.fetch_add(1, Ordering::Relaxed) >= MOST_KEYS {
            self.keys.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let lease = Arc::new(KeyLease::new(request));
        shard.insert_unique(hash, Entry { hash, lease: Arc::clone(&lease) }, |entry| entry.hash);
        Some(lease)
    }

    /// Forgets the units of a key without returning them, because its state in the store is deleted.
    pub(in super::super) fn forget(&self, key: &StoreKey) {
        let hash = self.hash_key.hash(key);
        let lease =
            self.shard(hash).find(hash, |entry| entry.hash == hash).map(|found| Arc::clone(&found.lease));
        if let Some(lease) = lease {
            let mut state = lease.lock();
            let limit = state.units.limit;
            state.restart(limit);
        }
    }

    /// Forgets the keys that no call uses.
    pub(super) fn forget_idle(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            let before = shard.len();
            // No call can get another reference while the shard is locked.
            shard.retain(|entry| Arc::strong_count(&entry.lease) > 1 || !entry.lease.lock().units.is_idle());
            self.keys.fetch_sub(before - shard.len(), Ordering::Relaxed);
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<KeyLease>> {
        let of_shard = |shard: &Mutex<HashTable<Entry>>| -> Vec<_> {
            shard.lock().iter().map(|entry| Arc::clone(&entry.lease)).collect()
        };
        self.shards.iter().flat_map(of_shard).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.load(Ordering::Relaxed) == 0
    }
}
