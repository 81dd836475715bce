//! A store that has to be waited for, and may be away.

use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, ManualClock, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A store at some distance, that counts what it is asked, and may be away.
#[derive(Clone)]
pub(crate) struct Distant(Arc<State>);

struct State {
    store: MemoryStore<ManualClock>,
    asked: AtomicUsize,
    away: AtomicBool,
}

impl Distant {
    pub(crate) fn with_clock(clock: &ManualClock) -> Self {
        let store = MemoryStore::with_clock(clock.clone());
        Self(Arc::new(State { store, asked: AtomicUsize::new(0), away: AtomicBool::new(false) }))
    }

    /// How often it was asked since it was asked this.
    pub(crate) fn asked(&self) -> usize {
        self.0.asked.swap(0, Ordering::Relaxed)
    }

    pub(crate) fn goes_away(&self) {
        self.0.away.store(true, Ordering::Relaxed);
    }
}

/// What the store answers, when it is polled for the second time.
fn later(reply: Reply<Decisions>) -> Reply<Decisions> {
    Reply::pending(async {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        reply.await
    })
}

impl Store for Distant {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        if self.0.away.load(Ordering::Relaxed) {
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, "away")));
        }
        later(self.0.store.decide(mode, requests))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.0.store.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.0.store.reset(keys)
    }
}
