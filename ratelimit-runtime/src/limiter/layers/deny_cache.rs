//! The deny cache: refusals that this process remembers, so that a flood of refused calls does not reach the store.
//!
//! Only refusals of stores whose replies are not ready at once are remembered: until the refused call would pass, for at most a
//! second. So for up to a second, a call may be refused although another process has returned units. The cache never admits a
//! call.

use crate::clock::LONGEST_TIME;
use crate::clock::{self, Timer};
use crate::decision::Decision;
use crate::limit::{Limit, State};
use crate::lock::lock;
use crate::store::Request;
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The refusals of a store, by a 64-bit hash of the key. The hash uses a secret of this process.
///
/// As long as no units are returned, an entry refuses only calls that the store would refuse too. An entry ends when the refused
/// request would pass, and after one second at the latest. The cache has a bounded size: a full shard is emptied.
pub(super) struct DenyCache {
    timer: Timer,
    /// The time at which the last entry ends, in microseconds from the start.
    latest: AtomicU64,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    entries: HashTable<Entry>,
    /// The time at which a key of this shard was last forgotten. Refusals of requests that were sent before this time are not
    /// remembered.
    forgotten: Option<u64>,
}

/// A refusal. Times are microseconds from the start of the cache.
struct Entry {
    key: u64,
    limit: Limit,
    /// The cost of the refused request, plus the units that it leaves to others.
    needed: i64,
    remaining: u32,
    /// The time until which the entry refuses calls.
    until: u64,
    /// The time at which the refused request would pass. `None`: never.
    passes: Option<u64>,
    reset: u64,
    /// Whether the refusal may be a block by hand, which ends at the same time for all costs.
    may_be_blocked: bool,
}

/// All shards together have a capacity of 114 688 entries of about 100 bytes.
const SHARDS: usize = 64;
const SHARD_CAPACITY: usize = 1792;

/// The longest time for which a refusal is remembered.
const LONGEST: Duration = Duration::from_secs(1);

impl DenyCache {
    pub(super) fn new() -> Self {
        Self {
            timer: Timer::start(),
            latest: AtomicU64::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// Returns the refusal that the store would return now. `None` if it is not known.
    #[inline]
    pub(super) fn refusal(&self, requests: &[&Request]) -> Option<Decision> {
        self.find(requests, self.now_if_not_empty()?)
    }

    fn find(&self, requests: &[&Request], now: u64) -> Option<Decision> {
        let request = cacheable(requests)?;
        let key = request.key().hash();
        let shard = self.shard(key);
        let entry = shard.entries.find(key, |entry| entry.key == key)?;
        entry.refusal(request, now)
    }

    /// Remembers the store's refusal of requests that were sent at `sent`. If the requests passed, forgets an earlier refusal of
    /// the same key.
    pub(super) fn note(&self, sent: Instant, requests: &[&Request], decisions: &[Decision]) {
        let (Some(request), [decision]) = (cacheable(requests), decisions) else { return };
        if decision.is_allowed() {
            // This call has taken units. A larger request that was refused before must now wait longer than its entry says, so
            // the entry is removed.
            if self.now_if_not_empty().is_some() {
                let key = request.key().hash();
                self.shard(key).remove(key);
            }
            return;
        }
        let (sent, now) = (self.timer.micros_at(sent), self.timer.micros());
        let retry = decision.retry_after();
        let until = sent + micros(retry.unwrap_or(LONGEST).min(LONGEST));
        let key = request.key().hash();
        let entry = Entry {
            key,
            limit: *request.limit(),
            needed: request.needed(),
            remaining: decision.remaining(),
            until,
            passes: retry.map(|retry| now + micros(retry)),
            reset: now + micros(decision.reset_after()),
            may_be_blocked: may_be_blocked(request, decision),
        };
        let mut shard = self.shard(key);
        if shard.forgotten.is_some_and(|forgotten| forgotten >= sent) {
            return;
        }
        shard.insert(entry);
        drop(shard);
        self.latest.fetch_max(until, Ordering::Relaxed);
    }

    /// Forgets the refusals of these keys, because another request changes their state.
    pub(super) fn forget(&self, keys: &[u64]) {
        let now = self.timer.micros();
        for key in keys {
            let mut shard = self.shard(*key);
            shard.forgotten = Some(now);
            shard.remove(*key);
        }
    }

    /// Returns the current time. `None` if no entry can refuse calls now.
    #[inline]
    fn now_if_not_empty(&self) -> Option<u64> {
        let latest = self.latest.load(Ordering::Relaxed);
        if latest == 0 {
            return None;
        }
        let now = self.timer.micros();
        (now < latest).then_some(now)
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        // The bits in the middle select the shard, because the hash table uses the highest and the lowest bits.
        lock(&self.shards[(key >> 32) as usize % SHARDS])
    }
}

impl Shard {
    fn remove(&mut self, key: u64) {
        if let Ok(entry) = self.entries.find_entry(key, |entry| entry.key == key) {
            entry.remove();
        }
    }

    fn insert(&mut self, entry: Entry) {
        let is_same = |known: &Entry| known.key == entry.key;
        if self.entries.len() >= SHARD_CAPACITY && self.entries.find(entry.key, is_same).is_none() {
            self.entries.clear();
        }
        self.entries.entry(entry.key, is_same, |entry| entry.key).insert(entry);
    }
}

impl Entry {
    #[inline]
    fn refusal(&self, request: &Request, now: u64) -> Option<Decision> {
        if now >= self.until || *request.limit() != self.limit {
            return None;
        }
        let needed = request.needed();
        let later = match needed == self.needed {
            true => 0,
            false if self.may_be_blocked => return None,
            false => extra_wait_ms(&self.limit, self.needed, needed)?,
        };
        let left = |moment: u64| moment.saturating_sub(now).div_ceil(1000);
        // The wait is at least 1 ms, because a decision with a wait of zero would admit the call.
        let wait_ms = self.passes.map(|passes| (left(passes) + later).max(1));
        Some(Decision::judged(&self.limit, self.remaining, wait_ms, 0, left(self.reset)))
    }
}

/// Whether a bucket refuses for longer than its missing units need. It is then blocked by hand, or in debt.
fn may_be_blocked(request: &Request, refused: &Decision) -> bool {
    let (limit, Some(retry)) = (request.limit(), refused.retry_after()) else { return false };
    if limit.state() != State::Bucket || !limit.block_steps().is_none() {
        return false;
    }
    let rate = limit.rate();
    let missing = u64::try_from(request.needed()).unwrap_or(0).saturating_sub(refused.remaining().into());
    let refill_ms = missing.saturating_mul(rate.period_ms).checked_div(rate.tokens.into());
    refill_ms.is_some_and(|refill_ms| retry > Duration::from_millis(refill_ms + 1))
}

/// Returns how much later `needed` units are free than `refused` units, in milliseconds. `None` if only the store knows.
fn extra_wait_ms(limit: &Limit, refused: i64, needed: i64) -> Option<u64> {
    let more = u64::try_from(needed - refused).ok()?;
    if needed > i64::from(limit.capacity()) {
        return None;
    }
    // A block ends at the same time for all costs.
    if !limit.block_steps().is_none() {
        return Some(0);
    }
    match limit.state() {
        State::Counter => Some(0),
        State::Bucket if !limit.refills_by_interval() => {
            let rate = limit.rate();
            let grains = more.saturating_mul(rate.period_ms);
            Some(grains.checked_div(rate.tokens.into())? + 1)
        }
        State::Bucket | State::SlidingWindow | State::Log | State::Permits => None,
    }
}

/// Returns the request, or `None` if its refusal cannot be remembered. That is so for a request of a stack, for a request with a
/// caller, whose refusal says nothing about the other callers of the key, and for a request without a cost. It is also so if the
/// limit has a `wait` or is a concurrency limit, or if the limit has a block and the request has `keep`.
fn cacheable<'r>(requests: &[&'r Request]) -> Option<&'r Request> {
    let [request] = requests else { return None };
    let limit = request.limit();
    // The refusal of a request with `keep` starts no block. It must not replace the remembered refusal of a request that has
    // started one.
    let is_milder = request.keep() > 0 && !limit.block_steps().is_none();
    let is_cacheable = request.is_alone() && limit.is_charged_at_once() && !is_milder;
    (is_cacheable && request.cost() > 0).then_some(*request)
}

/// Converts a duration to microseconds. The result is bounded, so that two results can be added.
fn micros(duration: Duration) -> u64 {
    clock::micros(duration.min(LONGEST_TIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreKey;

    #[tokio::test(start_paused = true)]
    async fn a_larger_cost_waits_longer_unless_the_refusal_may_be_a_block_by_hand() {
        let limit = Limit::token_bucket(4, Duration::from_secs(2)); // a token in 500 ms
        let request = |cost| Request::new(StoreKey::new(b"key"), limit, cost);
        for (retry, larger) in [(500, Some(1501)), (700, None)] {
            let (cache, retry) = (DenyCache::new(), Duration::from_millis(retry));
            let refusal = Decision::refuse(&limit, 0, Some(retry), limit.time());
            cache.note(Instant::now(), &[&request(1)], &[refusal]);
            let told = |cost| cache.refusal(&[&request(cost)]).map(|decision| decision.retry_after());
            assert_eq!(told(1), Some(Some(retry)));
            assert_eq!(told(3), larger.map(|ms| Some(Duration::from_millis(ms))));
        }
    }

    /// The test uses the paused clock, because a refusal is remembered for only a second.
    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let (cache, limit) = (DenyCache::new(), Limit::counter(1, LONGEST));
        let refusal = Decision::refuse(&limit, 0, Some(LONGEST), LONGEST);
        for key in 0..3 * SHARDS * SHARD_CAPACITY {
            let key = key.to_le_bytes();
            let request = Request::new(StoreKey::new(&key), limit, 1);
            cache.note(Instant::now(), &[&request], &[refusal]);
            assert_eq!(cache.refusal(&[&request]).map(|decision| decision.is_allowed()), Some(false));
        }
        for shard in &cache.shards {
            let shard = shard.lock();
            assert!(
                (1..=SHARD_CAPACITY).contains(&shard.entries.len())
                    && shard.entries.capacity() < 2 * SHARD_CAPACITY + 1
            );
        }
    }
}
