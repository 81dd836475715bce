//! A store whose replies are pending at first, as those of Redis are, and which can fail.

use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Overridden, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, ManualClock, MemoryStore};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A memory store behind pending replies. It counts its requests.
#[derive(Clone)]
pub(crate) struct RemoteStore(Arc<State>);

struct State {
    store: MemoryStore<ManualClock>,
    requests: AtomicUsize,
    fails: AtomicBool,
    /// The time until a reply.
    delay: OnceLock<Duration>,
    has_overrides: AtomicBool,
}

impl RemoteStore {
    pub(crate) fn with_clock(clock: &ManualClock) -> Self {
        let store = MemoryStore::with_clock(clock.clone());
        let (requests, fails, has_overrides) =
            (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Self(Arc::new(State { store, requests, fails, delay: OnceLock::new(), has_overrides }))
    }

    /// Delays the replies.
    pub(crate) fn delayed(self, delay: Duration) -> Self {
        self.0.delay.get_or_init(|| delay);
        self
    }

    /// Makes it a store with overrides, which a process asks for twice a second.
    pub(crate) fn with_overrides(self) -> Self {
        self.0.has_overrides.store(true, Ordering::Relaxed);
        self
    }

    /// The number of requests since the last call of this method.
    pub(crate) fn take_requests(&self) -> usize {
        self.0.requests.swap(0, Ordering::Relaxed)
    }

    /// Makes all later decisions fail.
    pub(crate) fn fail(&self) {
        self.0.fails.store(true, Ordering::Relaxed);
    }
}

/// The same reply, a few polls and the delay later.
fn later<T: Send + Unpin + 'static>(reply: Reply<T>, delay: Option<Duration>) -> Reply<T> {
    Reply::pending(async move {
        if let Some(delay) = delay {
            tokio::time::sleep(delay).await;
        }
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        reply.await
    })
}

impl Store for RemoteStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        if self.0.fails.load(Ordering::Relaxed) {
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, "the store fails")));
        }
        later(self.0.store.decide(mode, requests), self.0.delay.get().copied())
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.0.store.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.0.store.reset(keys)
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        if !self.0.has_overrides.load(Ordering::Relaxed) {
            return Reply::ready(Ok(None));
        }
        later(self.0.store.load_overrides(key, seen), None)
    }

    fn save_override(&self, key: &StoreKey, entry: &[u8], change: Option<&str>) -> Reply<()> {
        later(self.0.store.save_override(key, entry, change), None)
    }
}
