//! What is compared: each decides on a `String` key, and lets everything pass.

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter as Governor};
use quota::{QuotaPolicy, QuotaPool, RefillRate};
use ratelimit::{Clock, Limit, MemoryStore, Mode, Reply, Request, Store, StoreKey};
use std::num::NonZeroU32;
use std::time::Duration;

pub(crate) trait Subject: Sync {
    #[expect(clippy::ptr_arg, reason = "governor wants the type of its keys")]
    fn pass(&self, key: &String);
}

type Make = fn() -> Box<dyn Subject>;

/// Ours first, then those that the goals name.
pub(crate) const KEYED: [(&str, Make); 4] = [
    ("MemoryStore, token bucket", || {
        Box::new(Ours(MemoryStore::new(), Limit::token_bucket(33_554_432, Duration::from_secs(86_400))))
    }),
    ("quota", || {
        let policy = QuotaPolicy::new().set_capacity(1e9).set_refill_rate(RefillRate::per_sec(1_000_000_000));
        Box::new(QuotaPool::<String>::with_key_type(policy, 1_000_000_000))
    }),
    ("governor, keyed", || Box::new(governor())),
    ("MemoryStore, counter", || {
        Box::new(Ours(MemoryStore::new(), Limit::counter(4_000_000_000, Duration::from_secs(86_400))))
    }),
];

pub(crate) struct Ours<C>(pub(crate) MemoryStore<C>, pub(crate) Limit);

pub(crate) fn governor() -> DefaultKeyedRateLimiter<String> {
    Governor::keyed(Quota::per_second(NonZeroU32::MAX))
}

impl<C: Clock> Subject for Ours<C> {
    fn pass(&self, key: &String) {
        let request = Request::new(StoreKey::new(key.as_bytes()), &self.1, 1);
        let Reply::Ready(Some(Ok(decisions))) = self.0.decide(Mode::Check, &[request]) else {
            unreachable!("the memory store answers at once")
        };
        assert!(decisions[0].allowed());
    }
}

impl Subject for DefaultKeyedRateLimiter<String> {
    fn pass(&self, key: &String) {
        assert!(self.check_key(key).is_ok());
    }
}

impl Subject for QuotaPool<String> {
    fn pass(&self, key: &String) {
        assert!(self.consume(key.as_str(), 1).is_ok());
    }
}
