//! Memory store: stores the state of limits in this process, and makes the same decisions as the scripts.

mod bucket;
mod calendar;
mod concurrency;
mod counter;
mod gates;
mod list;
mod number;
mod number_algorithm;
mod overrides;
mod sliding_log;
mod sliding_window;
mod stack;
mod table;
mod terms;
mod verdict;

use super::{Adjusted, Adjustment, Change, Decisions, Mode, Overridden, Reply, Request, Store, stacks};
use crate::clock::{Clock, SystemClock};
use crate::error::Error;
use crate::key::{HashKey, StoreKey};
use crate::limit::{ListState, State};
use crate::macros::opaque;
use calendar::Dates;
use gates::Gates;
use list::List;
use overrides::Overrides;
use std::time::Duration;
use table::Table;
use terms::{Now, Terms};
use verdict::Verdict;

/// Stores limits in the memory of this process: for services with one process, for tests, and while Redis is
/// unavailable.
///
/// # Memory
///
/// Memory is bounded and grows with use. A counter, bucket or sliding window takes 27 to 31 bytes. At least
/// [`max_keys`](Self::with_max_keys) of them fit before any is evicted. The default is a million, which takes 32 MB when
/// full. In addition, a quarter as many sliding logs and concurrency limits fit, and a quarter as many blocks, which take as much as a
/// counter. Each log or concurrency limit takes about 40 bytes plus its
/// entries; all entries together take at most 32 bytes times `max_keys`.
///
/// A new key first takes the place of expired keys. If none has expired, the store evicts keys, and counts them in
/// [`evictions`](Self::evictions) and in the metric `ratelimit.memory.evictions`. An evicted limit starts again without any units in
/// use.
///
/// # Eviction
///
/// An attacker may send many new keys of one limit to make the store forget the keys of another one. So the store evicts keys of the
/// limit that has the most keys, never of one that has less than its equal share. Of one limit, it first evicts the keys with the
/// most units left, then those that would expire first. A first call never evicts a key that is used up.
///
/// - To evict a key that is used up, a caller must use up as many keys of the same limit as fit into the equal share of the limit, each
///   within the limit's time. With a million keys and four busy limits these are 250 000 keys. If a caller can choose the identity
///   freely, limit these calls by address as well, so that new keys cost new addresses.
/// - Limits with the same algorithm, `count` and `time` count as one limit, and so does one in 128 others by chance. Limits whose
///   `count` comes from an expression count as one limit for each value.
/// - How much of a key is in use is noted when units are charged or returned, not as time passes. A bucket that has refilled since
///   then counts as used until it expires.
/// - Logs and permits are evicted by the bytes that they use, in the same order.
///
/// The table consists of shards with about two thousand keys each. Eviction compares the keys of the new key's shard only.
/// A call visits at most one shard, which takes microseconds, and some tens of microseconds if it evicts; if logs and permits use
/// too much memory, it visits up to sixteen. Nothing runs in the background.
///
/// # Keys
///
/// The store does not store keys. It stores a keyed hash of 64 bits with random secrets, so nobody can choose keys that
/// collide. Two limits whose keys collide by chance share their state; for a million keys, the probability that any two
/// collide is below 1 in 10^7.
///
/// # Precision
///
/// Times are whole milliseconds, as in Redis, and whole microseconds for a sliding log. A burst that is shorter than 1 ms
/// of the rate cannot be used fully.
///
/// # Example
///
/// ```
/// use ratelimit::{MemoryStore, RateLimiter};
///
/// # fn main() -> Result<(), ratelimit::Error> {
/// let store = MemoryStore::new().with_max_keys(100_000); // about 3 MB when full
/// let limiter = RateLimiter::builder().store(store).build()?;
/// # Ok(()) }
/// ```
#[must_use]
pub struct MemoryStore<C = SystemClock> {
    hash_key: HashKey,
    numbers: Table<u64>,
    gates: Gates,
    /// Logs and permits.
    lists: Table<List>,
    overrides: Overrides,
    dates: Dates,
    clock: C,
}

/// The default of `max_keys`.
const MAX_KEYS: usize = 1_000_000;

impl MemoryStore {
    /// Creates a store that uses the system's monotonic clock.
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
    /// Creates a store with another clock, such as a [`ManualClock`](crate::clock::ManualClock).
    pub fn with_clock(clock: C) -> Self {
        let ((numbers, gates, lists), overrides) = (tables(MAX_KEYS), Overrides::default());
        let (hash_key, dates) = (HashKey::random(), Dates::default());
        Self { hash_key, numbers, gates, lists, overrides, dates, clock }
    }

    /// Sets the capacity to `max_keys` limits. Because shards fill unevenly, the store may hold up to 20 % more. Two million
    /// limits take 64 MB. The state of all previous decisions is dropped.
    pub fn with_max_keys(self, max_keys: usize) -> Self {
        let (numbers, gates, lists) = tables(max_keys);
        Self { numbers, gates, lists, ..self }
    }

    /// The number of stored limits, including expired ones whose place has not been reused. Locks each shard in turn.
    pub fn keys(&self) -> usize {
        self.numbers.len() + self.lists.len()
    }

    /// The number of bytes that this store has allocated for limits, including free space. Locks each shard in turn.
    pub fn bytes(&self) -> usize {
        self.numbers.bytes() + self.gates.bytes() + self.lists.bytes()
    }

    /// The number of limits that were evicted before they expired, because the store was full.
    pub fn evictions(&self) -> u64 {
        self.numbers.evictions() + self.gates.evictions() + self.lists.evictions()
    }

    /// [`Store::decide`] without the [`Reply`].
    #[expect(clippy::inline_always, reason = "the decision is then written into the reply at once")]
    #[inline(always)]
    pub(crate) fn decide_now(&self, mode: Mode, requests: &[&Request]) -> Result<Decisions, Error> {
        if let [request] = requests
            && !request.passes_with_next()
        {
            return Ok(self.decide_one(mode, request, Now::of(&self.clock)));
        }
        self.decide_stacks(mode, requests)
    }

    fn decide_stacks(&self, mode: Mode, requests: &[&Request]) -> Result<Decisions, Error> {
        let now = Now::of(&self.clock);
        let mut decisions = Decisions::new();
        for stack in stacks(requests)? {
            match stack {
                [request] => decisions.extend(self.decide_one(mode, request, now).iter().copied()),
                _ => self.decide_stack(mode, stack, now, &mut decisions),
            }
        }
        Ok(decisions)
    }

    #[expect(clippy::inline_always, reason = "the decision is then written into the reply at once")]
    #[inline(always)]
    fn decide_one(&self, mode: Mode, request: &Request, now: Now) -> Decisions {
        let hash = self.hash_key.hash(request.key());
        let dated = self.dates.limit_at(request.limit(), &self.clock, now);
        let mut terms = Terms::of(mode, request, dated.as_ref());
        let verdict = match terms.limit.state() {
            State::Number(state) => {
                number::decide(state, (&self.numbers, &self.gates), hash, &mut terms, now)
            }
            State::List(state) => self.decide_list(state, hash, &terms, now),
        };
        Decisions::one(verdict.decision(terms.limit, terms.longest_wait))
    }

    fn decide_list(&self, state: ListState, hash: u64, terms: &Terms<'_>, now: Now) -> Verdict {
        let verdict = list::decide(state, self.lists.lock(hash).entry(hash, now.ms), terms, now);
        self.lists.shed(now.ms);
        verdict
    }

    /// [`Store::adjust`] without the [`Reply`].
    pub(crate) fn adjust_now(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        let now = Now::of(&self.clock);
        Ok(adjustments.iter().map(|adjustment| self.adjust_one(adjustment, now)).collect())
    }

    fn adjust_one(&self, adjustment: &Adjustment, now: Now) -> u32 {
        let dated = self.dates.limit_at(adjustment.limit(), &self.clock, now);
        let limit = dated.as_ref().unwrap_or(adjustment.limit());
        let (units, change) = (adjustment.units(), adjustment.change());
        let hash = self.hash_key.hash(adjustment.key());
        match limit.state() {
            State::Number(state) => {
                let mut shard = self.numbers.lock(hash);
                if let Some(changed) = self.change_gate(adjustment, &mut shard, hash, now) {
                    return changed;
                }
                number::adjust(state, shard.entry(hash, now.ms), limit, units, change, now)
            }
            State::List(state) => {
                let mut shard = self.lists.lock(hash);
                let adjusted = list::adjust(state, shard.entry(hash, now.ms), limit, units, change, now);
                drop(shard);
                self.lists.shed(now.ms);
                adjusted
            }
        }
    }
}

impl<C: Clock> MemoryStore<C> {
    /// Changes the gate of a key, whose number is locked. `None` if the change is for the number alone.
    fn change_gate(
        &self,
        adjustment: &Adjustment,
        shard: &mut table::Guard<'_, u64>,
        hash: u64,
        now: Now,
    ) -> Option<u32> {
        let limit = adjustment.limit();
        match adjustment.change() {
            Change::Block(ms) => {
                if self.gates.block(hash, ms, limit, now).is_none() {
                    number::gated(shard.entry(hash, now.ms), limit, now);
                }
                Some(1)
            }
            Change::Pause(_) if limit.refuses_all() => Some(0),
            Change::Pause(ms) => {
                let (before, left) = self.gates.pause(hash, ms, limit, now);
                if before.is_none() {
                    number::gated(shard.entry(hash, now.ms), limit, now);
                }
                number::use_up(shard.entry(hash, now.ms), limit, left, now);
                Some(1)
            }
            Change::Open => Some(self.gates.open(hash, now).into()),
            Change::Closed => Some(u32::try_from(self.gates.left(hash, now)).unwrap_or(u32::MAX)),
            Change::Give(_) | Change::Take | Change::Renew(_) => None,
        }
    }
}

/// The tables for numbers, gates and lists. Few keys have gates. Lists are larger than numbers, so there is room for fewer.
fn tables(max_keys: usize) -> (Table<u64>, Gates, Table<List>) {
    let bytes = max_keys.saturating_mul(32);
    (Table::new(max_keys, 0), Gates::new(max_keys.div_ceil(4)), Table::new(max_keys.div_ceil(4), bytes))
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
            let list = self.lists.lock(hash).entry(hash, now).remove();
            let gate = self.gates.remove(hash, Now::of(&self.clock));
            existed += u64::from(number || gate || list);
        }
        Reply::ready(Ok(existed))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        Reply::ready(Ok(self.overrides.load(key, seen, Now::of(&self.clock).ms)))
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        let ms = |expires: Duration| u64::try_from(expires.as_millis()).unwrap_or(u64::MAX);
        let now = Now::of(&self.clock).ms;
        let end = expires.map(|expires| now.saturating_add(ms(expires)));
        self.overrides.save(key, entry, change, end, now);
        Reply::ready(Ok(()))
    }
}

opaque!([C: Clock] MemoryStore<C>, |this| keys = this.keys());
