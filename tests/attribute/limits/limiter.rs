//! `limiter` names the limiter that decides. Without it, the scoped limiter decides.

use crate::harness::{Runs, counted, limiter, scoped};
use ratelimit::overrides::LimitChange;
use ratelimit::{Limit, MemoryStore, RateLimiter, Rejection, rate_limit, scope};
use std::sync::{Arc, LazyLock};
use support::MINUTE;

struct State {
    limits: RateLimiter,
    shared: Arc<RateLimiter>,
}

static FOR_THIS_FILE: LazyLock<RateLimiter> = LazyLock::new(RateLimiter::in_memory);

impl State {
    #[rate_limit(key = "k", count = 1, limiter = self.limits)]
    async fn field(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }

    #[rate_limit(key = "k", count = 1, limiter = self.limits())]
    async fn method(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }

    #[rate_limit(key = "k", count = 1, limiter = self.shared)]
    async fn arc(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }

    fn limits(&self) -> &RateLimiter {
        &self.limits
    }
}

#[rate_limit(key = "k", count = 1, limiter = &limiter)]
async fn borrowed(limiter: RateLimiter, runs: &Runs) -> Result<RateLimiter, Rejection> {
    runs.add();
    Ok(limiter)
}

#[rate_limit(key = "k", count = 1, limiter = limiter)]
async fn reference(limiter: &RateLimiter, runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

counted! {
    #[rate_limit(key = "k", count = 1, limiter = self::FOR_THIS_FILE)] of_a_static;
    #[rate_limit(key = "k", count = 1)] of_the_scope;
    #[rate_limit(key = "two_limiters", time = "1m", count = 1)] of_two_limiters;
}

#[tokio::test]
async fn functions_that_name_one_limiter_share_their_limit() {
    let runs = &Runs::default();
    let limits = limiter(MemoryStore::new()).await;
    let shared = Arc::new(limits.clone());
    let state = State { limits, shared };
    state.field(runs).await.unwrap();
    state.field(runs).await.unwrap_err();
    state.method(runs).await.unwrap_err();
    state.arc(runs).await.unwrap_err();
    reference(&state.limits, runs).await.unwrap_err();
    borrowed(state.limits.clone(), runs).await.unwrap_err();
    assert_eq!(runs.count(), 1);
    borrowed(RateLimiter::in_memory(), runs).await.unwrap();
    of_a_static(runs).await.unwrap();
    of_a_static(runs).await.unwrap_err();
}

#[tokio::test]
async fn a_named_limiter_replaces_the_scoped_one() {
    let runs = &Runs::default();
    let own = RateLimiter::in_memory();
    scoped(async {
        of_the_scope(runs).await.unwrap();
        reference(&own, runs).await.unwrap();
        of_the_scope(runs).await.unwrap_err();
    })
    .await;
    assert_eq!(runs.count(), 2);
}

/// A function without an identity builds its request only once, for the first limiter that decides it. The other limiters
/// still use their own prefixes and overrides.
#[tokio::test]
async fn limiters_with_other_keys_and_with_overrides_decide_one_function() {
    let (runs, limit) = (&Runs::default(), Limit::counter(1, MINUTE));
    for prefix in ["first", "second", "third"] {
        let limiter = RateLimiter::builder().prefix(prefix).connect().await.unwrap();
        let call = || scope(limiter.clone(), of_two_limiters(runs));
        assert!(call().await.is_ok() && call().await.is_err());
        assert_eq!(limiter.peek(&limit, "two_limiters").await.unwrap().remaining(), 0, "{prefix}");
        limiter.overrides().set("two_limiters", LimitChange::new().count(2)).await.unwrap();
        assert!(call().await.is_ok() && call().await.is_err());
    }
    assert_eq!(runs.count(), 6);
}
