//! The embedded store: state in this process, the same decisions as the scripts.

mod ask;
mod bucket;
mod concurrency;
mod counter;
mod hash;
mod held;
mod nearest;
mod number;
mod overrides;
mod shard;
mod sliding_log;
mod sliding_window;
mod stack;
mod table;
mod verdict;

use super::{Adjusted, Adjustment, Decisions, Mode, Overridden, Reply, Request, Store, stacks};
use crate::clock::{Clock, SystemClock};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use ask::{Ask, Now, is_number};
use hash::HashKey;
use held::Held;
use overrides::Overrides;
use std::fmt;
use table::Table;

/// Keeps limits in the memory of this process: for one process, for tests, and while Redis is away.
///
/// Memory is bounded. A counter, bucket or sliding window takes 27 to 35 bytes, and at least
/// [`max_keys`](Self::with_max_keys) of them fit before any is forgotten: a million (32 MB when full), unless told
/// otherwise. There is room for a quarter as many sliding logs and concurrency limits, at about 40 bytes each and what they
/// hold, which is all together at most 32 bytes times `max_keys`. The memory follows what is in use.
///
/// Room for new keys comes from those that have expired; when all are alive, those nearest to their expiry are
/// forgotten, and counted in [`evictions`](Self::evictions): a limit that is forgotten begins anew. The table is in small
/// parts, and nearest means nearest in the part of the new key. No call does more than go through one part, of about
/// two thousand keys, which takes microseconds; where logs and permits have become too many, through sixteen. Nothing
/// runs in the background.
///
/// Keys are not stored, but a hash of at least 64 bits with a key of this store's own (SipHash-1-3), so that nobody can
/// choose keys that collide. Two limits that collide by chance share their state: among a million keys there are such two
/// with a chance below one in ten thousand million.
///
/// Time is counted in whole milliseconds, as in Redis, for a sliding log in microseconds: a burst below one millisecond
/// of the rate cannot be used fully.
pub struct MemoryStore<C = SystemClock> {
    hash_key: HashKey,
    numbers: Table<u64>,
    /// Logs and permits.
    held: Table<Held>,
    overrides: Overrides,
    clock: C,
}

/// Limits that a store remembers unless told otherwise.
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
        let ((numbers, held), overrides) = (tables(MAX_KEYS), Overrides::default());
        Self { hash_key: HashKey::random(), numbers, held, overrides, clock }
    }

    /// Has room for so many limits, and by chance for up to a fifth more; two million take 64 MB. Nothing is remembered
    /// of what was decided before.
    #[must_use]
    pub fn with_max_keys(self, max_keys: usize) -> Self {
        let (numbers, held) = tables(max_keys);
        Self { numbers, held, ..self }
    }

    /// How many limits are remembered now, expired ones that have not been reused included. It looks at each part of the table.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.numbers.len() + self.held.len()
    }

    /// How many bytes this store has allocated for limits, with what is not filled yet. It looks at each part of the
    /// table.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.numbers.bytes() + self.held.bytes()
    }

    /// How many limits were forgotten before they expired, for want of room.
    #[must_use]
    pub fn evictions(&self) -> u64 {
        self.numbers.evictions() + self.held.evictions()
    }

    /// [`Store::decide`] without the wrapping.
    pub(crate) fn decide_now(&self, mode: Mode, requests: &[&Request]) -> Result<Decisions, Error> {
        let now = Now::of(&self.clock);
        if let [request] = requests
            && !request.passes_with_next()
        {
            return Ok(Decisions::one(self.decide_one(mode, request, now)));
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

    fn decide_one(&self, mode: Mode, request: &Request, now: Now) -> Decision {
        let hash = self.hash_key.hash(request.key());
        let ask = Ask::of(mode, request);
        if is_number(ask.limit) {
            return number::decide(self.numbers.lock(hash).entry(hash, now.ms), &ask, now);
        }
        let decision = held::decide(self.held.lock(hash).entry(hash, now.ms), &ask, now);
        self.held.shed(now.ms);
        decision
    }

    /// [`Store::adjust`] without the wrapping.
    pub(crate) fn adjust_now(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        let now = Now::of(&self.clock);
        Ok(adjustments.iter().map(|adjustment| self.adjust_one(adjustment, now)).collect())
    }

    fn adjust_one(&self, adjustment: &Adjustment, now: Now) -> u32 {
        let (limit, units, change) = (adjustment.limit(), adjustment.units(), adjustment.change());
        let hash = self.hash_key.hash(adjustment.key());
        if is_number(limit) {
            return number::adjust(self.numbers.lock(hash).entry(hash, now.ms), limit, units, change, now);
        }
        let adjusted = held::adjust(self.held.lock(hash).entry(hash, now.ms), limit, units, change, now);
        self.held.shed(now.ms);
        adjusted
    }
}

/// Logs and permits are larger than numbers: fewer of them.
fn tables(max_keys: usize) -> (Table<u64>, Table<Held>) {
    let bytes = max_keys.saturating_mul(32);
    (Table::new(max_keys, 0), Table::new(max_keys.div_ceil(4), bytes))
}

impl<C: Clock> Store for MemoryStore<C> {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        Reply::ready(self.decide_now(mode, requests))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(self.adjust_now(adjustments))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        let now = Now::of(&self.clock).ms;
        let mut existed = 0;
        for key in keys {
            let hash = self.hash_key.hash(key);
            let number = self.numbers.lock(hash).entry(hash, now).remove();
            let held = self.held.lock(hash).entry(hash, now).remove();
            existed += u64::from(number || held);
        }
        Reply::ready(Ok(existed))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        Reply::ready(Ok(self.overrides.load(key, seen)))
    }

    fn save_override(&self, key: &StoreKey, entry: &[u8], limit: Option<&str>) -> Reply<()> {
        self.overrides.save(key, entry, limit);
        Reply::ready(Ok(()))
    }
}

impl<C: Clock> fmt::Debug for MemoryStore<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("keys", &self.keys()).finish_non_exhaustive()
    }
}
