//! Memory store: stores the state of limits in this process, and makes the same decisions as the scripts.

mod adjust;
mod bucket;
mod calendar;
mod concurrency;
mod counter;
mod fair;
mod gates;
mod list;
mod number;
mod overrides;
mod resets;
mod sliding_log;
mod sliding_window;
mod stack;
mod table;
mod terms;

use super::cost::Cost;
use super::{
    Adjusted, Adjustment, Decisions, Mode, Overridden, OverrideEntry, Reply, Request, Store, stacks,
};
use crate::clock::{Clock, SystemClock};
use crate::decision::PackedDecision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::limit::{Limit, State};
use crate::macros::opaque;
use fair::Shares;
use list::List;
use overrides::Overrides;
use resets::Resets;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use table::{Entry, Table};
use terms::{Terms, Verdict};

/// Stores limits in the memory of this process: for services with one process, for tests, and while Redis is
/// unavailable.
///
/// # Memory
///
/// Memory is bounded and grows with use. A counter, bucket or sliding window takes 27 to 31 bytes. The store holds at least
/// [`max_keys`](Self::with_max_keys) of them before it evicts any. The default is a million, which takes 32 MB when full. In
/// addition, the store holds a quarter of `max_keys` sliding logs and concurrency limits, and a quarter of `max_keys` blocks. A
/// block takes as much as a counter. A log or a concurrency limit takes about 60 bytes plus its timestamps or permits. All
/// timestamps and permits together take at most 32 bytes times `max_keys`. The same holds for the callers that share buckets in equal
/// parts ([`fair`](crate::rate_limit#fair)): a caller takes about 50 bytes, only while units are scarce.
///
/// A new key first takes the place of expired keys. If the store is full and no key has expired, it evicts keys, and counts
/// them in [`evictions`](Self::evictions) and in the metric `ratelimit.memory.evictions`. An evicted limit starts again without
/// any units in use.
///
/// # Eviction
///
/// An attacker may send many new keys of one limit to make the store forget the keys of another limit. So the store evicts keys
/// of the limit that has the most keys, and never keys of a limit that has less than its equal share. Within one limit, it
/// first evicts the keys with the most units left. Among these, it first evicts the keys that would expire first. New keys that
/// have made one call evict each other before they evict a key that is used up.
///
/// - To evict a key that is used up, a caller must use up other keys of the same limit within the limit's time: as many as the
///   equal share of the limit holds. With a million keys and four busy limits, these are 250 000 keys. If a caller can choose
///   the identity freely, limit these calls by address as well, so that new keys cost new addresses.
/// - Limits with the same algorithm, `count` and `time` count as one limit. Two limits that differ in these properties count as
///   one limit with a probability of 1 in 128. Limits whose `count` comes from an expression count as one limit for each value.
/// - The store notes the use of a key when units are charged or returned, not as time passes. So a bucket that has refilled in
///   the meantime counts as used until it expires.
/// - Logs and permits are also evicted if they use too many bytes, in the same order.
///
/// The table consists of shards with about two thousand keys each. Eviction compares only the keys in the shard of the new key.
/// A call with one limit visits one shard, which takes microseconds, or some tens of microseconds if it evicts keys. If logs
/// and permits use too much memory, the call visits up to sixteen shards. Nothing runs in the background.
///
/// # Keys
///
/// The store does not store keys. It stores a keyed hash of 64 bits with random secrets, so nobody can choose keys that
/// collide. Two limits whose keys collide by chance share their state; for a million keys, the probability that any two
/// collide is below 1 in 10^7.
///
/// # Precision
///
/// Times are whole milliseconds, as in Redis, and whole microseconds in a sliding log. If more than `burst` units come back in
/// 1 ms, the rate cannot be used fully.
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
    numbers: Table<u64>,
    lists: Table<List>,
    gates: Table<u64>,
    /// The shares of the callers of buckets.
    shares: Table<Shares>,
    /// The time in ms at which the last gate is forgotten. 0 if there has been no gate.
    gates_kept: AtomicU64,
    resets: Resets,
    overrides: Overrides,
    /// The difference in whole ms between the time since 1970 and the time of the clock.
    behind_unix_ms: AtomicU64,
    clock: C,
}

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
        Self::sized(clock, MAX_KEYS)
    }

    /// Sets the capacity to `max_keys` limits. Shards fill unevenly, so the store may hold up to 20 % more. Two million limits
    /// take 64 MB. The previous state is dropped.
    pub fn with_max_keys(self, max_keys: usize) -> Self {
        Self::sized(self.clock, max_keys)
    }

    /// Creates a store for `max_keys` states that are numbers, a quarter as many states that are lists, and a quarter as many
    /// gates. Lists are larger than numbers, and few keys have gates.
    fn sized(clock: C, max_keys: usize) -> Self {
        let quarter = max_keys.div_ceil(4);
        Self {
            numbers: Table::new(max_keys, 0),
            lists: Table::new(quarter, max_keys.saturating_mul(32)),
            gates: Table::new(quarter, 0),
            shares: Table::new(quarter, max_keys.saturating_mul(32)),
            gates_kept: AtomicU64::new(0),
            resets: Resets::new(quarter),
            overrides: Overrides::default(),
            behind_unix_ms: AtomicU64::new(0),
            clock,
        }
    }

    /// The number of stored keys, including expired ones whose place has not been reused. Locks each shard in turn.
    pub fn keys(&self) -> usize {
        self.numbers.len() + self.lists.len()
    }

    /// The number of bytes that this store has allocated for limits, including free space. Locks each shard in turn.
    pub fn bytes(&self) -> usize {
        let numbers = self.numbers.bytes() + self.gates.bytes() + self.resets.bytes();
        numbers + self.lists.bytes() + self.shares.bytes()
    }

    /// The number of keys and blocks that were evicted before they expired, because the store was full.
    pub fn evictions(&self) -> u64 {
        let numbers = self.numbers.evictions() + self.gates.evictions();
        numbers + self.lists.evictions() + self.shares.evictions()
    }

    /// Does the same as [`Store::decide`], without a [`Reply`].
    pub(crate) fn decide_now(&self, mode: Mode, requests: &[&Request]) -> Result<Decisions, Error> {
        self.decide_stacks(mode, requests, self.clock.now_micros())
    }

    /// Returns whether a request is not part of a stack, and needs no caller, no calendar window, no gate and no generation. Nearly all
    /// requests are plain. Logs and permits have no gates and no generations.
    #[inline]
    fn is_plain(&self, mode: Mode, request: &Request, now_us: u64) -> bool {
        let is_new = mode != Mode::Charge || !self.resets.any(now_us / 1000);
        let limit = request.limit();
        request.is_alone() && (is_new || limit.is_list()) && self.needs_no_gate(limit, now_us)
    }

    #[inline]
    fn needs_no_gate(&self, limit: &Limit, now_us: u64) -> bool {
        limit.window().is_none() && (!self.may_close(limit, now_us / 1000) || limit.is_list())
    }

    #[cold]
    #[inline(never)]
    fn decide_stacks(&self, mode: Mode, requests: &[&Request], now_us: u64) -> Result<Decisions, Error> {
        let mut decisions = Decisions::new();
        for stack in stacks(requests)? {
            match stack {
                [request] if self.is_plain(mode, request, now_us) => {
                    let terms = Terms::of(mode, request, request.limit(), now_us);
                    decisions.push(self.decide_alone(&terms).decision(terms.limit, terms.longest_wait));
                }
                _ => self.decide_stack(mode, stack, now_us, &mut decisions),
            }
        }
        Ok(decisions)
    }

    #[expect(clippy::inline_always, reason = "the decision is then written into the reply at once")]
    #[inline(always)]
    fn decide_alone(&self, terms: &Terms<'_>) -> Verdict {
        let Terms { limit, hash, now, .. } = *terms;
        // Does the same as `number::decide`. Here, `update` is compiled for each algorithm separately, so that the verdict is
        // not copied.
        match limit.state() {
            _ if limit.refuses_all() => Verdict::NEVER,
            State::Counter => self.numbers.update(hash, now, |entry| counter::decide(entry, terms)),
            State::Bucket => self.numbers.update(hash, now, |entry| bucket::decide(entry, terms)),
            State::SlidingWindow => {
                self.numbers.update(hash, now, |entry| sliding_window::decide(entry, terms))
            }
            State::Log | State::Permits => self.decide_list(terms),
        }
    }

    // A function for each algorithm, so that the terms stay in registers.

    #[inline(never)]
    fn decide_bucket(&self, limit: &Limit, hash: u64, cost: Cost, now_us: u64) -> PackedDecision {
        let terms = Terms::check(limit, hash, cost, now_us);
        self.numbers.update_number(hash, terms.now, |entry| bucket::decide(entry, &terms)).packed()
    }

    #[inline(never)]
    fn decide_window(&self, limit: &Limit, hash: u64, cost: Cost, now_us: u64) -> PackedDecision {
        let terms = Terms::check(limit, hash, cost, now_us);
        self.numbers.update_number(hash, terms.now, |entry| sliding_window::decide(entry, &terms)).packed()
    }

    /// Decides in mode `Check` if the state is a list, or if the limit needs a calendar window or a gate.
    #[cold]
    #[inline(never)]
    fn decide_rarely(&self, limit: &Limit, hash: u64, cost: Cost, now_us: u64) -> PackedDecision {
        let dated = self.dated(limit, now_us);
        let terms = Terms::check(dated.as_ref().unwrap_or(limit), hash, cost, now_us);
        let mut decisions = Decisions::new();
        self.decide_locked(&mut [terms], &mut decisions);
        decisions.first().map_or(PackedDecision::new(None, 0, 0), PackedDecision::of)
    }

    fn decide_list(&self, terms: &Terms<'_>) -> Verdict {
        let verdict = self.lists.update(terms.hash, terms.now, |entry| list::decide(entry, terms));
        self.lists.shed(terms.now);
        verdict
    }

    /// Returns the time of the clock in whole ms. Overrides end at whole ms, as in Redis.
    fn whole_ms(&self) -> Duration {
        Duration::from_millis(self.clock.now_micros() / 1000)
    }
}

impl<C: Clock> Store for MemoryStore<C> {
    #[expect(
        clippy::inline_always,
        reason = "a caller's mode is then known, and the decision is written at once"
    )]
    #[inline(always)]
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let now_us = self.clock.now_micros();
        match requests {
            [request] if self.is_plain(mode, request, now_us) => {
                let terms = Terms::of(mode, request, request.limit(), now_us);
                let decision = self.decide_alone(&terms).decision(terms.limit, terms.longest_wait);
                Reply::ready(Ok(Decisions::one(decision)))
            }
            _ => Reply::ready(self.decide_stacks(mode, requests, now_us)),
        }
    }

    #[inline]
    fn decides_hashes(&self) -> bool {
        true
    }

    #[inline]
    fn decide_hash(&self, limit: &Limit, hash: u64, cost: Cost) -> PackedDecision {
        let now_us = self.clock.now_micros();
        let is_plain = !limit.refuses_all() && self.needs_no_gate(limit, now_us);
        match limit.state() {
            State::Counter if is_plain => {
                let terms = Terms::check(limit, hash, cost, now_us);
                self.numbers.update_number(hash, terms.now, |entry| counter::decide(entry, &terms)).packed()
            }
            State::Bucket if is_plain => self.decide_bucket(limit, hash, cost, now_us),
            State::SlidingWindow if is_plain => self.decide_window(limit, hash, cost, now_us),
            _ => self.decide_rarely(limit, hash, cost, now_us),
        }
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(self.adjust_now(adjustments))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        let now = self.clock.now_micros() / 1000;
        let mut existed = 0;
        for key in keys {
            let hash = key.hash();
            let number = self.numbers.update(hash, now, |entry| {
                self.resets.note(hash, entry.deadline(), now);
                entry.clear()
            });
            let list = self.lists.update(hash, now, Entry::clear);
            let gate = self.gates.update(hash, now, Entry::clear);
            existed += u64::from(number || list || gate);
        }
        Reply::ready(Ok(existed))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        Reply::ready(Ok(self.overrides.load(key, seen, self.whole_ms())))
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        let now = self.whole_ms();
        let end = expires.map(|expires| now.saturating_add(expires));
        self.overrides.save(key, entry, change, end, now);
        Reply::ready(Ok(()))
    }

    fn replace_overrides(&self, key: &StoreKey, seen: u64, changes: &[OverrideEntry]) -> Reply<bool> {
        Reply::ready(Ok(self.overrides.replace(key, seen, changes, self.whole_ms())))
    }
}

opaque!([C: Clock] MemoryStore<C>, |this| keys = this.keys());
