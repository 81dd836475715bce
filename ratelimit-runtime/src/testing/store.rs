//! The store of a `TestLimiter`: a memory store that remembers its last decisions and can be made unavailable.

use crate::clock::{Clock, ManualClock, TokioClock};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::macros::opaque;
use crate::store::memory::MemoryStore;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Overridden, OverrideEntry, Reply, Request, Store};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A store for tests. Clones share all state.
#[derive(Clone)]
pub(super) struct TestStore(Arc<State>);

struct State {
    memory: MemoryStore<TestClock>,
    clock: TestClock,
    decided: Mutex<Vec<Decided>>,
    unavailable: AtomicBool,
}

/// A clock that the test moves. On request, tokio's clock moves it, too.
#[derive(Clone, Default)]
struct TestClock {
    manual: ManualClock,
    tokio: Arc<OnceLock<TokioClock>>,
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        self.manual.now() + self.tokio.get().map(Clock::now).unwrap_or_default()
    }
}

/// The last decision under a key.
#[derive(Clone)]
pub(super) struct Decided {
    key: StoreKey,
    pub(super) decision: Decision,
}

impl Decided {
    /// Messages may show the key, because the identities in a test are no secrets.
    pub(super) fn key(&self) -> String {
        String::from_utf8_lossy(self.key.as_bytes()).into_owned()
    }

    /// Whether this decision comes from a shadow limit, whose name ends with `/shadow`. A shadow limit never refuses a call.
    fn is_of_shadow(&self) -> bool {
        let key = self.key.without_format();
        let name = key.split(|byte| *byte == b'=').next().unwrap_or_default();
        name.strip_suffix(b"}").unwrap_or(name).ends_with(b"/shadow")
    }
}

impl TestStore {
    pub(super) fn new() -> Self {
        let clock = TestClock::default();
        let memory = MemoryStore::with_clock(clock.clone());
        let (decided, unavailable) = (Mutex::default(), AtomicBool::new(false));
        Self(Arc::new(State { memory, clock, decided, unavailable }))
    }

    pub(super) fn clock(&self) -> &ManualClock {
        &self.0.clock.manual
    }

    pub(super) fn follow_tokio(&self) {
        let _ = self.0.clock.tokio.set(TokioClock::new());
    }

    pub(super) fn set_available(&self, available: bool) {
        self.0.unavailable.store(!available, Ordering::Relaxed);
    }

    /// The last decision of each limit since the last call of this method, without the decisions of shadow limits.
    pub(super) fn take_decisions(&self) -> Vec<Decided> {
        let mut decided = std::mem::take(&mut *self.0.decided.lock());
        decided.retain(|decided| !decided.is_of_shadow());
        decided
    }

    /// Stores decisions. A call that waits for a permit is decided several times, so a later decision replaces the earlier
    /// decision under the same key.
    fn remember(&self, requests: &[&Request], decisions: &Decisions) {
        let mut decided = self.0.decided.lock();
        for (request, decision) in requests.iter().zip(decisions) {
            decided.retain(|earlier| earlier.key != *request.key());
            decided.push(Decided { key: request.key().clone(), decision: *decision });
        }
    }

    /// Calls `ask` with the memory store. Returns an error if the test has made the store unavailable.
    fn ask<T>(&self, ask: impl FnOnce(&MemoryStore<TestClock>) -> Reply<T>) -> Reply<T> {
        if self.0.unavailable.load(Ordering::Relaxed) {
            let message = "the test has made the store unavailable";
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, message)));
        }
        ask(&self.0.memory)
    }
}

impl Store for TestStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.ask(|memory| {
            let decisions = memory.decide_now(mode, requests);
            if let Ok(decisions) = &decisions {
                self.remember(requests, decisions);
            }
            Reply::ready(decisions)
        })
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.ask(|memory| Reply::ready(memory.adjust_now(adjustments)))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.ask(|memory| memory.reset(keys))
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        self.0.memory.load_overrides(key, seen)
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        self.ask(|memory| memory.save_override(key, entry, change, expires))
    }

    fn replace_overrides(&self, key: &StoreKey, seen: u64, changes: &[OverrideEntry]) -> Reply<bool> {
        self.ask(|memory| memory.replace_overrides(key, seen, changes))
    }
}

opaque!(TestStore, |this| unavailable = this.0.unavailable);
