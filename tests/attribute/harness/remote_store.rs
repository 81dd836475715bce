//! A store whose replies are pending at first, like the replies of Redis. A test can make it fail.

use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Overridden, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, MemoryStore};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A memory store with pending replies. It counts its requests and records their keys.
#[derive(Clone)]
pub(crate) struct RemoteStore {
    state: Arc<State>,
    /// The time from a request to its reply.
    delay: Duration,
}

struct State {
    store: MemoryStore<ManualClock>,
    requests: AtomicUsize,
    keys: Mutex<Vec<String>>,
    fails: AtomicBool,
    has_overrides: AtomicBool,
}

impl RemoteStore {
    pub(crate) fn with_clock(clock: &ManualClock) -> Self {
        let store = MemoryStore::with_clock(clock.clone());
        let (requests, keys) = (AtomicUsize::new(0), Mutex::default());
        let (fails, has_overrides) = (AtomicBool::new(false), AtomicBool::new(false));
        let state = State { store, requests, keys, fails, has_overrides };
        Self { state: Arc::new(state), delay: Duration::ZERO }
    }

    /// Sets the time from a decision's request to its reply.
    pub(crate) fn delayed(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Enables overrides, which a process loads twice a second.
    pub(crate) fn with_overrides(self) -> Self {
        self.state.has_overrides.store(true, Ordering::Relaxed);
        self
    }

    /// Returns the number of requests since the previous call of this method.
    pub(crate) fn take_requests(&self) -> usize {
        self.state.requests.swap(0, Ordering::Relaxed)
    }

    /// Returns the keys of the requests since the previous call of this method, without the format at their end.
    pub(crate) fn take_keys(&self) -> Vec<String> {
        std::mem::take(&mut self.state.keys.lock().unwrap())
    }

    /// Makes all later decisions fail.
    pub(crate) fn fail(&self) {
        self.state.fails.store(true, Ordering::Relaxed);
    }
}

/// Delays a reply by `delay` and three polls.
fn later<T: Send + Unpin + 'static>(reply: Reply<T>, delay: Duration) -> Reply<T> {
    Reply::pending(async move {
        if !delay.is_zero() {
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
        self.state.requests.fetch_add(1, Ordering::Relaxed);
        let keys = requests.iter().map(|request| {
            let key = std::str::from_utf8(request.key().as_bytes()).unwrap();
            let (key, _format) = key.rsplit_once(':').unwrap();
            key.strip_prefix("ratelimit:").unwrap().to_owned()
        });
        self.state.keys.lock().unwrap().extend(keys);
        if self.state.fails.load(Ordering::Relaxed) {
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, "the store fails")));
        }
        later(self.state.store.decide(mode, requests), self.delay)
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.state.store.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.state.store.reset(keys)
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        if !self.state.has_overrides.load(Ordering::Relaxed) {
            return Reply::ready(Ok(None));
        }
        later(self.state.store.load_overrides(key, seen), Duration::ZERO)
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        later(self.state.store.save_override(key, entry, change, expires), Duration::ZERO)
    }
}
