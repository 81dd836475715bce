//! The embedded store: state in this process, the same decisions as the scripts.

mod algorithms;
mod bucket;
mod concurrency;
mod counter;
mod overrides;
mod sliding_log;
mod sliding_window;
mod table;
mod verdict;

use super::{Adjusted, Adjustment, Decisions, Mode, Overridden, Reply, Request, Store, stacks};
use crate::clock::{Clock, SystemClock};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use algorithms::{Ask, Now};
use overrides::Overrides;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use table::{Hash, Table};
use verdict::Verdict;

/// Keeps limits in the memory of this process: for one process, for tests, and while Redis is away.
///
/// Memory is bounded: at most [`max_keys`](Self::with_max_keys) limits are remembered, about 50 bytes each; a sliding
/// log and the permits of a concurrency limit count by what they hold. Keys are not stored, but a 128-bit hash with a key of this store's own. Room for new keys comes from those that have
/// expired; when all are alive, those nearest to their expiry are forgotten, and counted in
/// [`evictions`](Self::evictions).
///
/// Time is counted in whole milliseconds, as in Redis, for a sliding log in microseconds: a burst below one millisecond of the rate cannot be used
/// fully.
pub struct MemoryStore<C = SystemClock> {
    table: Table,
    overrides: Overrides,
    clock: C,
}

/// Limits that a store remembers unless told otherwise: 50 MB when full.
const MAX_KEYS: usize = 1_000_000;

impl MemoryStore {
    /// A store with the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(SystemClock::default())
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Clock> MemoryStore<C> {
    /// A store with a clock of your own, such as a [`ManualClock`](crate::ManualClock).
    #[must_use]
    pub fn with_clock(clock: C) -> Self {
        Self { table: Table::new(MAX_KEYS), overrides: Overrides::default(), clock }
    }

    /// Remembers at most about so many limits (rounded up to a multiple of 64, at least 64).
    #[must_use]
    pub fn with_max_keys(self, max_keys: usize) -> Self {
        Self { table: Table::new(max_keys), ..self }
    }

    /// How many limits are remembered now, expired ones that have not been reused included.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.table.len()
    }

    /// How many limits were forgotten before they expired, for want of room.
    #[must_use]
    pub fn evictions(&self) -> u64 {
        self.table.evictions()
    }

    /// [`Store::decide`] without the wrapping.
    pub(crate) fn decide_now(&self, mode: Mode, requests: &[Request<'_>]) -> Result<Decisions, Error> {
        let now = Now::of(&self.clock);
        if let [request] = requests
            && !request.passes_with_next()
        {
            return Ok(smallvec![self.decide_one(mode, request, now)]);
        }
        let mut decisions = Decisions::new();
        for stack in stacks(requests)? {
            match stack {
                [request] => decisions.push(self.decide_one(mode, request, now)),
                _ => self.decide_stack(mode, stack, now, &mut decisions),
            }
        }
        Ok(decisions)
    }

    fn decide_one(&self, mode: Mode, request: &Request<'_>, now: Now) -> Decision {
        let hash = self.table.hash(request.key());
        let mut shard = self.table.lock(hash);
        let ask = Ask::of(mode, request);
        let verdict = algorithms::judge(&ask, shard.get(hash, now.ms).as_deref(), now);
        match verdict.passes(ask.patience) {
            Some(wait) if ask.charges => algorithms::charge(&mut shard, hash, &ask, &verdict, wait, now),
            None if ask.queues(&verdict) => algorithms::queue(&mut shard, hash, &ask, &verdict, now),
            _ => verdict.decision(ask.limit, ask.patience),
        }
    }

    /// All or nothing: judged and charged while every shard that is touched stays locked, in one order.
    fn decide_stack(&self, mode: Mode, stack: &[Request<'_>], now: Now, decisions: &mut Decisions) {
        let hashes: SmallVec<[Hash; 4]> =
            stack.iter().map(|request| self.table.hash(request.key())).collect();
        let mut shards = self.table.lock_all(&hashes);
        let members: SmallVec<[(Ask<'_>, Verdict); 4]> = stack
            .iter()
            .zip(&hashes)
            .map(|(request, hash)| {
                let ask = Ask::of(mode, request);
                let cell = shards.of(*hash).get(*hash, now.ms);
                let verdict = algorithms::judge(&ask, cell.as_deref(), now);
                (ask, verdict)
            })
            .collect();
        let passes = members.iter().all(|(ask, verdict)| verdict.passes(ask.patience).is_some());
        for (hash, (ask, verdict)) in hashes.into_iter().zip(members) {
            decisions.push(match verdict.passes(ask.patience) {
                Some(wait) if passes && ask.charges => {
                    algorithms::charge(shards.of(hash), hash, &ask, &verdict, wait, now)
                }
                _ => verdict.decision(ask.limit, ask.patience),
            });
        }
    }

    /// [`Store::adjust`] without the wrapping.
    pub(crate) fn adjust_now(&self, adjustments: &[Adjustment<'_>]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        let now = Now::of(&self.clock);
        let adjusted = adjustments.iter().map(|adjustment| {
            let hash = self.table.hash(adjustment.key());
            algorithms::adjust(&mut self.table.lock(hash), hash, adjustment, now)
        });
        Ok(adjusted.collect())
    }
}

impl<C: Clock> Store for MemoryStore<C> {
    fn decide(&self, mode: Mode, requests: &[Request<'_>]) -> Reply<Decisions> {
        Reply::ready(self.decide_now(mode, requests))
    }

    fn adjust(&self, adjustments: &[Adjustment<'_>]) -> Reply<Adjusted> {
        Reply::ready(self.adjust_now(adjustments))
    }

    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()> {
        for key in keys {
            let hash = self.table.hash(key);
            self.table.lock(hash).remove(hash);
        }
        Reply::ready(Ok(()))
    }

    fn load_overrides(&self, key: StoreKey<'_>, seen: u64) -> Reply<Option<Overridden>> {
        Reply::ready(Ok(self.overrides.load(key, seen)))
    }

    fn save_override(&self, key: StoreKey<'_>, entry: &[u8], limit: Option<&str>) -> Reply<()> {
        self.overrides.save(key, entry, limit);
        Reply::ready(Ok(()))
    }
}

impl<C> fmt::Debug for MemoryStore<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("keys", &self.table.len()).finish_non_exhaustive()
    }
}
