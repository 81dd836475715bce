//! The subjects of the part `memory`. Each decides about a `String` key and admits every call.

use crate::now;
use crate::peers;
use ratelimit::clock::Clock;
use ratelimit::{Key, Limit, MemoryStore, RateLimiter};
use std::time::Duration;

/// A limiter that is measured.
pub(crate) trait Subject: Sync {
    /// Decides about one call. The call must pass.
    #[expect(clippy::ptr_arg, reason = "governor needs the type of its keys")]
    fn pass(&self, key: &String);
}

/// A kind of subject. `make` creates a subject of this kind.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) is_ours: bool,
    pub(crate) make: fn() -> Box<dyn Subject>,
    /// The largest number of keys with which the subject is measured.
    pub(crate) keys: usize,
    /// Divides the number of calls, for a slow subject.
    pub(crate) share: usize,
}

impl Kind {
    pub(crate) const fn new(name: &'static str, make: fn() -> Box<dyn Subject>) -> Self {
        Self { name, is_ours: false, make, keys: usize::MAX, share: 1 }
    }
}

pub(crate) const BUCKET: &str = "MemoryStore, token bucket";
pub(crate) const QUOTA: &str = "quota";
pub(crate) const GOVERNOR: &str = "governor, keyed";
pub(crate) const COUNTER: &str = "MemoryStore, counter";

/// Returns all kinds, always in the same order.
pub(crate) fn kinds() -> Vec<Kind> {
    let bucket = || ours(Limit::token_bucket(33_554_432, Duration::from_secs(86_400)));
    let counter = || ours(Limit::counter(4_000_000_000, Duration::from_secs(86_400)));
    let ours = [
        Kind { is_ours: true, ..Kind::new(BUCKET, bucket) },
        Kind { is_ours: true, ..Kind::new(COUNTER, counter) },
    ];
    ours.into_iter().chain(peers::kinds()).collect()
}

fn ours(limit: Limit) -> Box<dyn Subject> {
    Box::new(Ours::new(MemoryStore::new(), limit))
}

/// `check` of a limit of each caller, on a memory store.
pub(crate) struct Ours(RateLimiter, Limit);

impl Ours {
    #[expect(clippy::expect_used, reason = "the default settings are valid")]
    pub(crate) fn new<C: Clock>(store: MemoryStore<C>, limit: Limit) -> Self {
        Self(RateLimiter::builder().store(store).build().expect("the settings are valid"), limit)
    }
}

impl Subject for Ours {
    fn pass(&self, key: &String) {
        assert!(now(self.0.check(&self.1, Key::new("k").by(key))).is_ok());
    }
}
