//! Refusals that are remembered, so that a flood of calls that cannot pass does not reach the store.

use super::{FAR, RateLimiter};
use crate::decision::Decision;
use crate::key::StoreKey;
use crate::limit::{Algorithm, Limit};
use crate::store::Request;
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What a store has refused, by a 64-bit hash of the key with a secret of this process.
///
/// An entry answers only what the store would answer if nobody gave anything back: until the refused cost would pass, and
/// for a second at most. Memory is bounded: a part that is full is emptied.
pub(super) struct Denied {
    hasher: RandomState,
    start: Instant,
    /// Until when any entry may answer, in microseconds from the start.
    latest: AtomicU64,
    parts: [Mutex<Part>; PARTS],
}

#[derive(Default)]
struct Part {
    entries: HashTable<Entry>,
    /// When a key of this part was forgotten last: what was asked before tells nothing any more.
    forgotten: Option<u64>,
}

/// Times are microseconds from the start.
struct Entry {
    key: u64,
    limit: Limit,
    cost: u32,
    remaining: u32,
    /// This entry answers until then.
    until: u64,
    /// When the cost would pass; none if never.
    passes: Option<u64>,
    reset: u64,
}

/// Together 114 688 entries of about a hundred bytes.
const PARTS: usize = 64;
const ROOM: usize = 1792;

/// How long a refusal is remembered at most.
const LONGEST: Duration = Duration::from_secs(1);

impl Denied {
    pub(super) fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            start: Instant::now(),
            latest: AtomicU64::new(0),
            parts: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// The refusal that a store would answer now, if that is known.
    pub(super) fn answer(&self, requests: &[Request<'_>]) -> Option<Decision> {
        let request = lone(requests)?;
        let now = self.time_if_any_lives()?;
        let key = self.hash(request.key());
        let part = self.part(key);
        let entry = part.entries.find(key, |entry| entry.key == key)?;
        entry.answer(request, now)
    }

    /// Remembers what the store has answered to what was asked at `asked`.
    pub(super) fn note(&self, asked: Instant, requests: &[Request<'_>], decisions: &[Decision]) {
        let (Some(request), [decision]) = (lone(requests), decisions) else { return };
        if decision.allowed() {
            // A higher cost that was refused has to wait for longer now.
            if self.time_if_any_lives().is_some() {
                let key = self.hash(request.key());
                self.part(key).drop_entry(key);
            }
            return;
        }
        let (asked, now) = (self.at(asked), self.at(Instant::now()));
        let retry = decision.retry_after();
        let until = asked + micros(retry.unwrap_or(LONGEST).min(LONGEST));
        let key = self.hash(request.key());
        let entry = Entry {
            key,
            limit: *request.limit(),
            cost: request.cost(),
            remaining: decision.remaining(),
            until,
            passes: retry.map(|retry| now + micros(retry)),
            reset: now + micros(decision.reset_after()),
        };
        let mut part = self.part(key);
        if part.forgotten.is_some_and(|forgotten| forgotten >= asked) {
            return;
        }
        part.remember(entry);
        drop(part);
        self.latest.fetch_max(until, Ordering::Relaxed);
    }

    /// What is given back under these keys may let calls pass: now, and again when the answer is here, since what is asked
    /// meanwhile may be decided before.
    pub(super) fn forget(&self, keys: &[u64]) {
        let now = self.at(Instant::now());
        for key in keys {
            let mut part = self.part(*key);
            part.forgotten = Some(now);
            part.drop_entry(*key);
        }
    }

    /// The time, if there may be an entry that answers now.
    fn time_if_any_lives(&self) -> Option<u64> {
        let latest = self.latest.load(Ordering::Relaxed);
        if latest == 0 {
            return None;
        }
        let now = self.at(Instant::now());
        (now < latest).then_some(now)
    }

    pub(super) fn hash(&self, key: &StoreKey<'_>) -> u64 {
        self.hasher.hash_one(key.as_bytes())
    }

    fn part(&self, key: u64) -> MutexGuard<'_, Part> {
        // The table takes the highest bits and the lowest.
        let part = &self.parts[(key >> 32) as usize % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, moment: Instant) -> u64 {
        micros(moment.saturating_duration_since(self.start))
    }
}

impl Part {
    fn drop_entry(&mut self, key: u64) {
        if let Ok(entry) = self.entries.find_entry(key, |entry| entry.key == key) {
            entry.remove();
        }
    }

    fn remember(&mut self, entry: Entry) {
        if let Some(known) = self.entries.find_mut(entry.key, |known| known.key == entry.key) {
            *known = entry;
            return;
        }
        if self.entries.len() >= ROOM {
            self.entries.clear();
        }
        self.entries.insert_unique(entry.key, entry, |entry| entry.key);
    }
}

impl Entry {
    fn answer(&self, request: &Request<'_>, now: u64) -> Option<Decision> {
        if now >= self.until || *request.limit() != self.limit {
            return None;
        }
        let later = later(&self.limit, self.cost, request.cost())?;
        let left = |moment: u64| Duration::from_millis(moment.saturating_sub(now).div_ceil(1000));
        let retry = self.passes.map(|passes| (left(passes) + later).max(Duration::from_millis(1)));
        Some(Decision::refuse(&self.limit, self.remaining, retry, left(self.reset)))
    }
}

/// How much later than `refused` a cost passes at least as high; none if only the store knows.
fn later(limit: &Limit, refused: u32, cost: u32) -> Option<Duration> {
    let more = cost.checked_sub(refused)?;
    match limit.algorithm() {
        _ if more == 0 => Some(Duration::ZERO),
        _ if cost > limit.capacity() => None,
        Algorithm::Counter => Some(Duration::ZERO),
        Algorithm::TokenBucket | Algorithm::LeakyBucket if !limit.refills_by_interval() => {
            let rate = limit.rate();
            let grains = u64::from(more).saturating_mul(rate.period_ms);
            Some(Duration::from_millis(grains.checked_div(rate.tokens.into())? + 1))
        }
        _ => None,
    }
}

/// The request that a refusal may answer: alone, of a limit whose units are spent and whose calls do not wait.
fn lone<'s, 'r>(requests: &'s [Request<'r>]) -> Option<&'s Request<'r>> {
    let [request] = requests else { return None };
    let limit = request.limit();
    let plain = !request.passes_with_next() && !limit.is_concurrency() && limit.wait_ms() == 0;
    (plain && request.cost() > 0).then_some(request)
}

/// Bounded, so that two of them can be added.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.min(FAR).as_micros()).unwrap_or(u64::MAX / 4)
}

/// Keys under which something is given back. Their refusals are forgotten when this is made, and when it is dropped.
pub(super) struct Forgetting {
    limiter: RateLimiter,
    keys: SmallVec<[u64; 1]>,
}

impl Forgetting {
    /// None if nothing can be remembered of these keys.
    pub(super) fn start<'k>(
        limiter: &RateLimiter,
        keys: impl Iterator<Item = &'k StoreKey<'k>>,
    ) -> Option<Self> {
        let denied = limiter.shared.denied.as_ref()?;
        let keys: SmallVec<[u64; 1]> = keys.map(|key| denied.hash(key)).collect();
        denied.forget(&keys);
        (!keys.is_empty()).then(|| Self { limiter: limiter.clone(), keys })
    }
}

impl Drop for Forgetting {
    fn drop(&mut self) {
        if let Some(denied) = &self.limiter.shared.denied {
            denied.forget(&self.keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let (denied, limit) = (Denied::new(), Limit::counter(1, LONGEST));
        let refusal = Decision::refuse(&limit, 0, Some(LONGEST), LONGEST);
        for key in 0..3 * PARTS * ROOM {
            let key = key.to_le_bytes();
            let request = [Request::new(StoreKey::new(&key), &limit, 1)];
            denied.note(Instant::now(), &request, &[refusal]);
            assert_eq!(denied.answer(&request).map(|decision| decision.allowed()), Some(false));
        }
        for part in &denied.parts {
            let part = part.lock().unwrap();
            assert!((1..=ROOM).contains(&part.entries.len()) && part.entries.capacity() < 2 * ROOM + 1);
        }
    }
}
