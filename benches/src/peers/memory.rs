//! Other crates that decide in memory.

use crate::memory::{Fresh, GOVERNOR, Kind, QUOTA, Subject};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter as Governor};
use limitador::RateLimiter as Limitador;
use limitador::limit::{Expression, Limit, Namespace};
use lock_free_bucket::Ratelimiter;
use quota::{QuotaPolicy, QuotaPool, RefillRate};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use throttled::{MemoryStore, RateLimiter as _, StoreLimiter};

pub(crate) fn kinds() -> [Kind; 5] {
    [
        Kind::new(QUOTA, || Box::new(quota())),
        Kind::new(GOVERNOR, || Box::new(governor())),
        Kind::new("throttled", || Box::new(throttled())),
        // limitador evaluates an expression for each call, which is slow.
        Kind { keys: 1, share: 25, ..Kind::new("limitador", || Box::new(limitador())) },
        // One bucket without a table of keys: a limit of all callers cannot cost less.
        Kind { keys: 1, ..Kind::new("ratelimit: one bucket, no keys", || Box::new(lock_free_bucket())) },
    ]
}

/// Returns each crate with its defaults, and governor also with the cleanup that its documentation recommends.
pub(crate) fn fresh() -> [Fresh; 4] {
    [
        Fresh::new("governor, cleaned by the caller", governor(), |governor| {
            governor.retain_recent();
            governor.shrink_to_fit();
        }),
        Fresh::new("governor", governor(), |_| ()),
        Fresh::new("quota", quota(), |_| ()),
        Fresh::new("throttled", throttled(), |_| ()),
    ]
}

fn governor() -> DefaultKeyedRateLimiter<String> {
    Governor::keyed(Quota::per_second(NonZeroU32::MAX))
}

fn quota() -> QuotaPool<String> {
    let policy = QuotaPolicy::new().set_capacity(1e9).set_refill_rate(RefillRate::per_sec(1_000_000_000));
    QuotaPool::with_key_type(policy, 1_000_000_000)
}

fn throttled() -> Throttled {
    StoreLimiter::new(MemoryStore::new())
}

fn lock_free_bucket() -> Ratelimiter {
    let bucket =
        Ratelimiter::builder(1_000_000_000).max_tokens(1_000_000_000).initial_available(1_000_000_000);
    bucket.build().unwrap_or_else(|error| unreachable!("{error}"))
}

type Throttled = StoreLimiter<MemoryStore<String>>;

fn limitador() -> Limitador {
    let limiter = Limitador::new(1000);
    let user = Expression::parse("user").unwrap_or_else(|error| unreachable!("{error}"));
    limiter.add_limit(Limit::new("bench", 4_000_000_000, 86_400, [], [user]));
    limiter
}

impl Subject for DefaultKeyedRateLimiter<String> {
    fn pass(&self, key: &String) {
        assert!(self.check_key(key).is_ok());
    }
}

impl Subject for Ratelimiter {
    fn pass(&self, _: &String) {
        assert!(self.try_wait().is_ok());
    }
}

impl Subject for QuotaPool<String> {
    fn pass(&self, key: &String) {
        assert!(self.consume(key.as_str(), 1).is_ok());
    }
}

/// `Throttled` owns its keys, so each call copies the key.
impl Subject for Throttled {
    fn pass(&self, key: &String) {
        const MILLION: NonZeroU32 = NonZeroU32::new(1_000_000).unwrap();
        let quota = throttled::Quota::per_second(MILLION).with_burst(NonZeroU32::MAX);
        let decision = pin!(self.check(key.clone(), quota)).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(decision, Poll::Ready(Ok(result)) if result.is_allowed()));
    }
}

impl Subject for Limitador {
    fn pass(&self, key: &String) {
        let context = HashMap::from([("user".to_owned(), key.clone())]).into();
        let result = self.check_rate_limited_and_update(&Namespace::from("bench"), &context, 1);
        assert!(result.is_ok_and(|result| !result.limited));
    }
}
