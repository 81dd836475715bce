//! A bounded table of cells that expire: no key is stored, nothing is swept by a timer, nothing grows for ever.

use crate::key::StoreKey;
use hashbrown::HashTable;
use siphasher::sip128::{Hasher128, SipHasher13};
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shards, so that threads seldom wait for one another. A power of two.
const SHARDS: usize = 64;

/// The state of one limit under one key, alive while the clock is below its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) value: u64,
    /// In the clock's milliseconds.
    pub(super) deadline: u64,
}

pub(super) struct Table {
    shards: Box<[Mutex<Shard>]>,
    evictions: AtomicU64,
    hash_key: [u8; 16],
}

pub(super) struct Shard {
    entries: HashTable<Entry>,
    max: usize,
}

struct Entry {
    hash: u128,
    cell: Cell,
}

impl Table {
    pub(super) fn new(max_keys: usize) -> Self {
        let max = max_keys.div_ceil(SHARDS).max(1);
        let shard = || Mutex::new(Shard { entries: HashTable::new(), max });
        // The only source of randomness in std; a hash key that nobody can guess keeps collisions to chance.
        let random = RandomState::new();
        let mut hash_key = [0; 16];
        hash_key[..8].copy_from_slice(&random.hash_one(0).to_le_bytes());
        hash_key[8..].copy_from_slice(&random.hash_one(1).to_le_bytes());
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), evictions: AtomicU64::new(0), hash_key }
    }

    pub(super) fn hash(&self, key: &StoreKey<'_>) -> u128 {
        let mut hasher = SipHasher13::new_with_key(&self.hash_key);
        hasher.write(key.as_bytes());
        hasher.finish128().as_u128()
    }

    pub(super) fn lock(&self, hash: u128) -> Guard<'_> {
        self.lock_shard(shard_of(hash))
    }

    /// Locks the shards of all these hashes, in the one order that all callers use.
    pub(super) fn lock_all(&self, hashes: &[u128]) -> Guards<'_> {
        let mut shards: SmallVec<[usize; 4]> = hashes.iter().map(|hash| shard_of(*hash)).collect();
        shards.sort_unstable();
        shards.dedup();
        Guards(shards.into_iter().map(|shard| (shard, self.lock_shard(shard))).collect())
    }

    pub(super) fn len(&self) -> usize {
        (0..SHARDS).map(|shard| self.lock_shard(shard).shard.entries.len()).sum()
    }

    pub(super) fn evictions(&self) -> u64 {
        self.evictions.load(Ordering::Relaxed)
    }

    fn lock_shard(&self, shard: usize) -> Guard<'_> {
        // A shard is whole between two statements, so a panic elsewhere in a holder leaves nothing half done.
        let shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        Guard { shard, evictions: &self.evictions }
    }
}

/// The table inside a shard uses the low bits.
#[expect(clippy::cast_possible_truncation, reason = "the top bits are wanted")]
fn shard_of(hash: u128) -> usize {
    (hash >> 64) as usize % SHARDS
}

/// A locked shard.
pub(super) struct Guard<'t> {
    shard: MutexGuard<'t, Shard>,
    evictions: &'t AtomicU64,
}

impl Guard<'_> {
    /// The living cell. An expired one is forgotten for good, also by a clock that steps back.
    pub(super) fn get(&mut self, hash: u128, now: u64) -> Option<Cell> {
        let entry = self.shard.entries.find(short(hash), |entry| entry.hash == hash)?;
        if entry.cell.deadline > now {
            return Some(entry.cell);
        }
        self.remove(hash);
        None
    }

    pub(super) fn put(&mut self, hash: u128, cell: Cell, now: u64) {
        if let Some(entry) = self.shard.entries.find_mut(short(hash), |entry| entry.hash == hash) {
            entry.cell = cell;
            return;
        }
        let evicted = self.shard.make_room(now);
        if evicted > 0 {
            self.evictions.fetch_add(evicted, Ordering::Relaxed);
        }
        self.shard.entries.insert_unique(short(hash), Entry { hash, cell }, |entry| short(entry.hash));
    }

    pub(super) fn remove(&mut self, hash: u128) {
        if let Ok(entry) = self.shard.entries.find_entry(short(hash), |entry| entry.hash == hash) {
            entry.remove();
        }
    }
}

/// The locked shards of a stack.
pub(super) struct Guards<'t>(SmallVec<[(usize, Guard<'t>); 4]>);

impl<'t> Guards<'t> {
    #[expect(clippy::expect_used, reason = "`lock_all` has locked the shard of every hash of the stack")]
    pub(super) fn of(&mut self, hash: u128) -> &mut Guard<'t> {
        let shard = shard_of(hash);
        let guard = self.0.iter_mut().find(|(locked, _)| *locked == shard);
        &mut guard.expect("a hash of the stack").1
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
fn short(hash: u128) -> u64 {
    hash as u64
}

impl Shard {
    /// Makes room for one entry, and says how many living ones were forgotten for it.
    ///
    /// Nothing is looked at before the entries fill what is allocated. Then the expired ones go, and if that frees
    /// too little, the space is doubled or, at the bound, the sixteenth part that is nearest to its expiry goes:
    /// each insertion pays for a constant number of moves.
    fn make_room(&mut self, now: u64) -> u64 {
        let full = self.entries.len() >= self.max;
        let allocated = self.entries.capacity();
        if !full && self.entries.len() < allocated {
            return 0;
        }
        self.entries.retain(|entry| entry.cell.deadline > now);
        let living = self.entries.len();
        if !full {
            if living > allocated / 4 * 3 {
                self.entries.reserve(allocated.max(4), |entry| short(entry.hash));
            }
            return 0;
        }
        let target = self.max - (self.max / 16).max(1);
        self.forget(living.saturating_sub(target))
    }

    /// Forgets the `surplus` entries that are nearest to their expiry.
    fn forget(&mut self, surplus: usize) -> u64 {
        if surplus == 0 {
            return 0;
        }
        let mut deadlines: Vec<u64> = self.entries.iter().map(|entry| entry.cell.deadline).collect();
        let last = *deadlines.select_nth_unstable(surplus - 1).1;
        // Those before `last` go all, and of those at `last` as many as are still needed.
        let mut at_last =
            surplus - deadlines[..surplus - 1].iter().filter(|deadline| **deadline < last).count();
        self.entries.retain(|entry| {
            let tie = entry.cell.deadline == last && at_last > 0;
            at_last -= usize::from(tie);
            entry.cell.deadline >= last && !tie
        });
        surplus as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread over the shards, and over the buckets of a shard.
    fn hash(key: u64) -> u128 {
        u128::from(key) << 64 | u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn fill(table: &Table, keys: std::ops::Range<u64>, deadline: u64, now: u64) {
        for key in keys {
            table.lock(hash(key)).put(hash(key), Cell { value: 1, deadline }, now);
        }
    }

    #[test]
    fn expired_entries_make_room_for_new_ones() {
        let table = Table::new(1_000_000);
        fill(&table, 0..100_000, 10, 0);
        let after_one_round: usize =
            table.shards.iter().map(|shard| shard.lock().unwrap().entries.capacity()).sum();
        for round in 1..10_u64 {
            let first = round * 100_000;
            fill(&table, first..first + 100_000, 10 * (round + 1), 10 * round);
        }
        let in_the_end: usize =
            table.shards.iter().map(|shard| shard.lock().unwrap().entries.capacity()).sum();
        assert!(in_the_end <= 2 * after_one_round, "{in_the_end} after {after_one_round}");
        assert_eq!(table.evictions(), 0);
    }

    #[test]
    fn a_full_table_forgets_what_would_expire_first() {
        let table = Table::new(64 * 100);
        fill(&table, 0..6400 - 640, 2000, 0);
        fill(&table, 10_000..10_640, 1000, 0);
        let soon: Vec<u64> = (10_000..10_640).collect();
        assert_eq!(table.len(), 6400);
        fill(&table, 20_000..20_064, 3000, 0);
        assert!(table.len() <= 6400);
        assert!(table.evictions() > 0);
        let alive = |key: u64| table.lock(hash(key)).get(hash(key), 0).is_some();
        let lost = soon.iter().filter(|key| !alive(**key)).count() as u64;
        assert_eq!(lost, table.evictions(), "only those that would expire first");
        assert!((20_000..20_064).all(alive));
    }

    #[test]
    fn a_smallest_table_still_works() {
        let table = Table::new(0);
        fill(&table, 0..1000, 10, 0);
        assert!(table.len() <= SHARDS);
    }
}
