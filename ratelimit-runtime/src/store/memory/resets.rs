//! Resets: which generation of a key's state a charge belongs to, as in `lua/head.lua` and `lua/reset.lua`. The generations are
//! in a separate table, which is read only for charges that may be returned.
//!
//! All functions are called while the entry of the key is locked in the table of numbers, which holds the states.

use super::table::Table;
use std::sync::atomic::{AtomicU64, Ordering};

/// The generations of keys that were reset. A key that is not in the table has generation 0.
pub(super) struct Resets {
    generations: Table<u64>,
    /// The time in ms at which the last generation is forgotten. 0 if no key was reset.
    kept: AtomicU64,
}

/// The stamp of a charge is this times its generation, plus a time.
const GENERATION: u64 = 1 << 47;
const GENERATIONS: u64 = 62;

/// The time in ms for which a generation is known after the state that was reset would have expired.
const SPARE_MS: u64 = 1000;

impl Resets {
    pub(super) fn new(max_keys: usize) -> Self {
        Self { generations: Table::new(max_keys, 0), kept: AtomicU64::new(0) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.generations.bytes()
    }

    /// Returns whether any key may have a generation.
    #[inline]
    pub(super) fn any(&self, now: u64) -> bool {
        self.kept.load(Ordering::Relaxed) >= now
    }

    /// Begins the next generation of a key whose state would have expired at `deadline`. 0 means that there is no state.
    pub(super) fn note(&self, hash: u64, deadline: u64, now: u64) {
        if deadline > 0 {
            self.keep(hash, deadline + SPARE_MS, now, |generation| generation % GENERATIONS + 1);
        }
    }

    /// Returns the stamp of a charge whose time is `stamp`. The state of the charge expires at `deadline`.
    pub(super) fn stamp(&self, hash: u64, stamp: u64, deadline: u64, now: u64) -> u64 {
        if stamp == 0 || !self.any(now) {
            return stamp;
        }
        let of_state = self.generations.update(hash, now, |entry| entry.value);
        if of_state > 0 {
            self.keep(hash, deadline, now, |generation| generation);
        }
        of_state * GENERATION + stamp
    }

    /// Returns the time of a stamp if its charge is of the present generation of its key.
    pub(super) fn time(&self, hash: u64, stamp: u64, now: u64) -> Option<u64> {
        let of_state =
            if self.any(now) { self.generations.update(hash, now, |entry| entry.value) } else { 0 };
        (stamp / GENERATION == of_state).then_some(stamp % GENERATION)
    }

    /// Changes the generation of a key, and keeps it until `end` at least.
    fn keep(&self, hash: u64, end: u64, now: u64, change: impl FnOnce(u64) -> u64) {
        let kept = self.generations.update(hash, now, |entry| {
            entry.extend(change(entry.value), end);
            entry.deadline()
        });
        self.kept.fetch_max(kept, Ordering::Relaxed);
    }
}
