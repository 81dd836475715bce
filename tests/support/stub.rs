//! A store that fails or never replies until a test repairs it.

use ratelimit::clock::TokioClock;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A memory store on tokio's clock that a test can break. While it is broken, each request fails with an error or gets no
/// reply. Clones share their state.
#[derive(Clone)]
pub struct StubStore {
    memory: Arc<MemoryStore<TokioClock>>,
    kind: Option<ErrorKind>,
    works: Arc<AtomicBool>,
}

impl StubStore {
    /// Returns a broken store whose requests fail with an error of this kind.
    #[must_use]
    pub fn failing(kind: ErrorKind) -> Self {
        Self { kind: Some(kind), ..Self::silent() }
    }

    /// Returns a broken store that never replies.
    #[must_use]
    pub fn silent() -> Self {
        let memory = Arc::new(MemoryStore::with_clock(TokioClock::new()));
        Self { memory, kind: None, works: Arc::default() }
    }

    /// Repairs the store with `true`, or breaks it with `false`.
    pub fn set_works(&self, works: bool) {
        self.works.store(works, Ordering::Relaxed);
    }

    fn reply<T: Send + 'static>(&self, works: impl FnOnce(&MemoryStore<TokioClock>) -> Reply<T>) -> Reply<T> {
        match self.kind {
            _ if self.works.load(Ordering::Relaxed) => works(&self.memory),
            Some(kind) => Reply::ready(Err(Error::new(kind, "the store fails"))),
            None => Reply::pending(std::future::pending()),
        }
    }
}

impl Store for StubStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.reply(|memory| memory.decide(mode, requests))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.reply(|memory| memory.adjust(adjustments))
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.reply(|memory| memory.reset(keys))
    }
}
