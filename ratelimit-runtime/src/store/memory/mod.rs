//! The embedded store: state in this process, the same decisions as the scripts.

mod counter;
mod table;
mod token_bucket;

use super::{Decisions, Reply, Request, Store, stacks};
use crate::clock::{Clock, SystemClock, millis};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::limit::{Algorithm, Limit};
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::time::Duration;
use table::{Cell, Table};

/// Keeps limits in the memory of this process: for one process, for tests, and while Redis is away.
///
/// Memory is bounded: at most [`max_keys`](Self::with_max_keys) limits are remembered, about 40 bytes each. Keys are
/// not stored, but a 128-bit hash with a key of this store's own. Room for new keys comes from those that have
/// expired; when all are alive, those nearest to their expiry are forgotten, and counted in
/// [`evictions`](Self::evictions).
///
/// Time is counted in whole milliseconds, as in Redis: a burst below one millisecond of the rate cannot be used
/// fully.
pub struct MemoryStore<C = SystemClock> {
    table: Table,
    clock: C,
}

/// Limits that a store remembers unless told otherwise: 40 MB when full.
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
        Self { table: Table::new(MAX_KEYS), clock }
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
    pub(crate) fn decide_now(&self, requests: &[Request<'_>]) -> Result<Decisions, Error> {
        self.answer(requests, true)
    }

    fn answer(&self, requests: &[Request<'_>], charge: bool) -> Result<Decisions, Error> {
        let now = millis(self.clock.now());
        if let [request] = requests
            && !request.passes_with_next()
        {
            return Ok(smallvec![self.decide_one(request, charge, now)]);
        }
        let mut decisions = Decisions::new();
        for stack in stacks(requests)? {
            match stack {
                [request] => decisions.push(self.decide_one(request, charge, now)),
                _ => self.decide_stack(stack, charge, now, &mut decisions),
            }
        }
        Ok(decisions)
    }

    fn decide_one(&self, request: &Request<'_>, charge: bool, now: u64) -> Decision {
        let hash = self.table.hash(request.key());
        let mut shard = self.table.lock(hash);
        let limit = request.limit();
        let cell = shard.get(hash, now);
        let verdict = judge(limit, cell, request.cost(), now);
        if !charge || verdict.wait != Wait::None || request.cost() == 0 {
            return verdict.decision(limit);
        }
        let (cell, reset_ms) = take(limit, cell, request.cost(), now);
        shard.put(hash, cell, now);
        verdict.charged(request.cost(), reset_ms).decision(limit)
    }

    /// All or nothing: judged and charged while every shard that is touched stays locked, in one order.
    fn decide_stack(&self, stack: &[Request<'_>], charge: bool, now: u64, decisions: &mut Decisions) {
        let hashes: SmallVec<[u128; 4]> =
            stack.iter().map(|request| self.table.hash(request.key())).collect();
        let mut shards = self.table.lock_all(&hashes);
        let members: SmallVec<[(Option<Cell>, Verdict); 4]> = stack
            .iter()
            .zip(&hashes)
            .map(|(request, hash)| {
                let cell = shards.of(*hash).get(*hash, now);
                (cell, judge(request.limit(), cell, request.cost(), now))
            })
            .collect();
        let passes = members.iter().all(|(_, verdict)| verdict.wait == Wait::None);
        for ((request, hash), (cell, mut verdict)) in stack.iter().zip(&hashes).zip(members) {
            if passes && charge && request.cost() > 0 {
                let (cell, reset_ms) = take(request.limit(), cell, request.cost(), now);
                shards.of(*hash).put(*hash, cell, now);
                verdict = verdict.charged(request.cost(), reset_ms);
            }
            decisions.push(verdict.decision(request.limit()));
        }
    }
}

impl<C: Clock> Store for MemoryStore<C> {
    fn decide(&self, requests: &[Request<'_>]) -> Reply<Decisions> {
        Reply::ready(self.decide_now(requests))
    }

    fn peek(&self, requests: &[Request<'_>]) -> Reply<Decisions> {
        Reply::ready(self.answer(requests, false))
    }

    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()> {
        for key in keys {
            let hash = self.table.hash(key);
            self.table.lock(hash).remove(hash);
        }
        Reply::ready(Ok(()))
    }
}

impl<C> fmt::Debug for MemoryStore<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("keys", &self.table.len()).finish_non_exhaustive()
    }
}

/// How long until a cost fits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    None,
    Millis(u64),
    Never,
}

/// What an algorithm says of a request before anything is charged.
#[derive(Clone, Copy)]
struct Verdict {
    wait: Wait,
    remaining: u32,
    reset_ms: u64,
}

impl Verdict {
    fn charged(self, cost: u32, reset_ms: u64) -> Self {
        Self { remaining: self.remaining - cost, reset_ms, ..self }
    }

    fn decision(self, limit: &Limit) -> Decision {
        let reset_after = Duration::from_millis(self.reset_ms);
        match self.wait {
            Wait::None => Decision::allow(limit, self.remaining, reset_after),
            Wait::Millis(ms) => {
                Decision::refuse(limit, self.remaining, Some(Duration::from_millis(ms)), reset_after)
            }
            Wait::Never => Decision::refuse(limit, self.remaining, None, reset_after),
        }
    }
}

fn judge(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> Verdict {
    if limit.refuses_all() {
        return Verdict { wait: Wait::Never, remaining: 0, reset_ms: 0 };
    }
    match limit.algorithm() {
        Algorithm::Counter => counter::judge(limit, cell, cost, now),
        Algorithm::TokenBucket => token_bucket::judge(limit, cell, cost, now),
    }
}

/// Charges a cost that [`judge`] let pass: the new state, and until when something is in use.
fn take(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> (Cell, u64) {
    match limit.algorithm() {
        Algorithm::Counter => counter::charge(limit, cell, cost, now),
        Algorithm::TokenBucket => token_bucket::charge(limit, cell, cost, now),
    }
}
