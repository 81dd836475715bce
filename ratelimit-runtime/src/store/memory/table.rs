//! A bounded table of cells that expire: no key is stored, nothing is swept by a timer, nothing grows for ever.

use super::concurrency::Permits;
use super::sliding_log::Log;
use crate::key::StoreKey;
use hashbrown::HashTable;
use siphasher::sip128::{Hasher128, SipHasher13};
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shards, so that threads seldom wait for one another. A power of two.
const SHARDS: usize = 64;

/// The state of one limit under one key. As in Redis it is there until its deadline has passed; a number counts no more
/// from the deadline on.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) state: State,
    /// In the clock's milliseconds.
    pub(super) deadline: u64,
}

#[derive(Debug)]
pub(super) enum State {
    Number(u64),
    Log(Box<Log>),
    Permits(Box<Permits>),
}

/// The state of a limit that needs no more than a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: u64,
    pub(super) deadline: u64,
}

impl Cell {
    pub(super) fn number(&self, now: u64) -> Option<Number> {
        match self.state {
            State::Number(_) if self.deadline <= now => None,
            State::Number(value) => Some(Number { value, deadline: self.deadline }),
            State::Log(_) | State::Permits(_) => None,
        }
    }

    /// Whether nothing is in it, though its time has not come.
    pub(super) fn is_empty(&self) -> bool {
        match &self.state {
            State::Number(_) => false,
            State::Log(log) => log.len() == 0,
            State::Permits(permits) => permits.is_empty(),
        }
    }

    /// What this takes beyond an entry, counted in entries.
    fn weight(&self) -> usize {
        let bytes = match &self.state {
            State::Number(_) => 0,
            State::Log(log) => 8 * log.len(),
            State::Permits(permits) => 24 * permits.len(),
        };
        bytes / size_of::<Entry>()
    }
}

impl From<Number> for Cell {
    fn from(number: Number) -> Self {
        Self { state: State::Number(number.value), deadline: number.deadline }
    }
}

pub(super) struct Table {
    shards: Box<[Mutex<Shard>]>,
    evictions: AtomicU64,
    hash_key: [u8; 16],
}

pub(super) struct Shard {
    entries: HashTable<Entry>,
    /// What the cells take beyond their entries.
    weight: usize,
    max: usize,
}

struct Entry {
    hash: [u64; 2],
    cell: Cell,
}

impl Table {
    pub(super) fn new(max_keys: usize) -> Self {
        let max = max_keys.div_ceil(SHARDS).max(1);
        let shard = || Mutex::new(Shard { entries: HashTable::new(), weight: 0, max });
        // The only source of randomness in std; a hash key that nobody can guess keeps collisions to chance.
        let random = RandomState::new();
        let mut hash_key = [0; 16];
        hash_key[..8].copy_from_slice(&random.hash_one(0).to_le_bytes());
        hash_key[8..].copy_from_slice(&random.hash_one(1).to_le_bytes());
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), evictions: AtomicU64::new(0), hash_key }
    }

    pub(super) fn hash(&self, key: &StoreKey<'_>) -> Hash {
        let mut hasher = SipHasher13::new_with_key(&self.hash_key);
        hasher.write(key.as_bytes());
        let hash = hasher.finish128();
        [hash.h1, hash.h2]
    }

    pub(super) fn lock(&self, hash: Hash) -> Guard<'_> {
        self.lock_shard(shard_of(hash))
    }

    /// Locks the shards of all these hashes, in the one order that all callers use.
    pub(super) fn lock_all(&self, hashes: &[Hash]) -> Guards<'_> {
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

/// The hash of a key: one half for the table inside a shard, the other for the choice of the shard.
pub(super) type Hash = [u64; 2];

#[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
fn shard_of(hash: Hash) -> usize {
    hash[1] as usize % SHARDS
}

/// A locked shard.
pub(super) struct Guard<'t> {
    shard: MutexGuard<'t, Shard>,
    evictions: &'t AtomicU64,
}

impl Guard<'_> {
    /// The living cell. An expired one is forgotten for good, also by a clock that steps back.
    pub(super) fn get(&mut self, hash: Hash, now: u64) -> Option<&mut Cell> {
        let alive = self.shard.entries.find(hash[0], |entry| entry.hash == hash)?.cell.deadline >= now;
        if !alive {
            self.remove(hash);
            return None;
        }
        self.shard.entries.find_mut(hash[0], |entry| entry.hash == hash).map(|entry| &mut entry.cell)
    }

    /// A cell where there was none.
    pub(super) fn insert(&mut self, hash: Hash, cell: Cell, now: u64) {
        let evicted = self.shard.make_room(now);
        if evicted > 0 {
            self.evictions.fetch_add(evicted, Ordering::Relaxed);
        }
        self.shard.weight += cell.weight();
        self.shard.entries.insert_unique(hash[0], Entry { hash, cell }, |entry| entry.hash[0]);
    }

    /// Changes a living cell, and minds what it takes.
    pub(super) fn change<T>(
        &mut self,
        hash: Hash,
        now: u64,
        change: impl FnOnce(&mut Cell) -> T,
    ) -> Option<T> {
        let cell = self.get(hash, now)?;
        let before = cell.weight();
        let changed = change(cell);
        let after = cell.weight();
        self.shard.weight = (self.shard.weight + after).saturating_sub(before);
        if after > before && self.shard.is_full() {
            let evicted = self.shard.make_room(now);
            self.evictions.fetch_add(evicted, Ordering::Relaxed);
        }
        Some(changed)
    }

    pub(super) fn remove(&mut self, hash: Hash) {
        if let Ok(entry) = self.shard.entries.find_entry(hash[0], |entry| entry.hash == hash) {
            let (entry, _) = entry.remove();
            self.shard.weight = self.shard.weight.saturating_sub(entry.cell.weight());
        }
    }
}

/// The locked shards of a stack.
pub(super) struct Guards<'t>(SmallVec<[(usize, Guard<'t>); 4]>);

impl<'t> Guards<'t> {
    #[expect(clippy::expect_used, reason = "`lock_all` has locked the shard of every hash of the stack")]
    pub(super) fn of(&mut self, hash: Hash) -> &mut Guard<'t> {
        let shard = shard_of(hash);
        let guard = self.0.iter_mut().find(|(locked, _)| *locked == shard);
        &mut guard.expect("a hash of the stack").1
    }
}

impl Shard {
    /// Makes room for one entry, and says how many living ones were forgotten for it.
    ///
    /// Nothing is looked at before the entries fill what is allocated. Then the expired ones go, and if that frees
    /// too little, the space is doubled or, at the bound, the sixteenth part that is nearest to its expiry goes:
    /// each insertion pays for a small number of moves.
    fn make_room(&mut self, now: u64) -> u64 {
        let full = self.is_full();
        let allocated = self.entries.capacity();
        if !full && self.entries.len() < allocated {
            return 0;
        }
        self.retain(|cell| cell.deadline > now);
        if self.is_full() {
            return self.forget(self.entries.len() + self.weight - (self.max - (self.max / 16).max(1)));
        }
        if !full && self.entries.len() > allocated / 4 * 3 {
            self.entries.reserve(allocated.max(4), |entry| entry.hash[0]);
        }
        0
    }

    fn is_full(&self) -> bool {
        self.entries.len() + self.weight >= self.max
    }

    fn retain(&mut self, mut keep: impl FnMut(&Cell) -> bool) {
        let weight = &mut self.weight;
        self.entries.retain(|entry| {
            let kept = keep(&entry.cell);
            *weight = if kept { *weight } else { weight.saturating_sub(entry.cell.weight()) };
            kept
        });
    }

    /// Forgets the entries that are nearest to their expiry, until so much is free.
    fn forget(&mut self, surplus: usize) -> u64 {
        let mut cells: Vec<(u64, usize)> =
            self.entries.iter().map(|entry| (entry.cell.deadline, 1 + entry.cell.weight())).collect();
        cells.sort_unstable();
        let (mut freed, mut forgotten) = (0, 0);
        let enough = cells.iter().find(|(_, weight)| {
            (freed, forgotten) = (freed + weight, forgotten + 1);
            freed >= surplus
        });
        let last = enough.map_or((u64::MAX, usize::MAX), |last| *last);
        // Those before `last` go all, and of those like it as many as are still needed.
        let mut like_last = forgotten - cells.iter().take_while(|cell| **cell < last).count();
        self.retain(|cell| {
            let cell = (cell.deadline, 1 + cell.weight());
            let tie = cell == last && like_last > 0;
            like_last -= usize::from(tie);
            cell >= last && !tie
        });
        forgotten as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread over the shards, and over the buckets of a shard.
    fn hash(key: u64) -> Hash {
        [key.wrapping_mul(0x9e37_79b9_7f4a_7c15), key]
    }

    fn cell(deadline: u64) -> Cell {
        Cell { state: State::Number(1), deadline }
    }

    fn fill(table: &Table, keys: std::ops::Range<u64>, deadline: u64, now: u64) {
        for key in keys {
            table.lock(hash(key)).insert(hash(key), cell(deadline), now);
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
    fn what_cells_hold_counts_too() {
        let table = Table::new(64 * 100);
        let limit = crate::limit::Limit::sliding_log(10_000, std::time::Duration::from_secs(1));
        for key in 0..64 * 20 {
            table.lock(hash(key)).insert(
                hash(key),
                Cell { state: State::Log(Box::default()), deadline: 10 },
                0,
            );
            table.lock(hash(key)).change(hash(key), 0, |cell| {
                if let State::Log(log) = &mut cell.state {
                    log.charge(&limit, 100, 0, 0);
                }
            });
        }
        // 100 moments take as much as about 20 entries.
        assert!(table.len() < 64 * 6, "{} logs are remembered", table.len());
        assert!(table.evictions() > 64 * 10);
    }

    #[test]
    fn a_smallest_table_still_works() {
        let table = Table::new(0);
        fill(&table, 0..1000, 10, 0);
        assert!(table.len() <= SHARDS);
    }
}
