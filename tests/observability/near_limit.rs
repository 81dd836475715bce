//! Hooks and a metric report limits that are nearly used up, once each time the used share reaches the share that
//! `near_limit` sets.

use crate::recorder::recorded;
use ratelimit::clock::ManualClock;
use ratelimit::observe::{Hook, Kind, NearLimit};
use ratelimit::{
    AsKey, ErrorKind, Key, Limit, MemoryStore, OnError, RateLimiter, RateLimiterBuilder, Rejection,
    rate_limit,
};
use std::sync::{Arc, Mutex};
use support::{DAY, HOUR, SECOND, StubStore};

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Hook for Log {
    fn near_limit(&self, near: &NearLimit) {
        let who = near.identity().map_or("all", |_| "one");
        let line = format!("{} {} of {who}", near.name(), near.decision().remaining());
        self.0.lock().unwrap().push(line);
    }
}

/// Returns the settings of a limiter with the hook `log`. Installs the recorder.
fn builder(log: &Arc<Log>) -> RateLimiterBuilder {
    let _ = recorded();
    RateLimiter::builder().hook(Arc::clone(log)).deadline(10 * SECOND)
}

fn counted(name: &str) -> i64 {
    recorded().get(Kind::Counter, "ratelimit.near_limit", &[("ratelimit.limit", name)]).whole()
}

#[tokio::test]
async fn every_way_to_take_units_is_told_once() {
    #[rate_limit(key = "near attribute", time = "1h", count = 5, by = user, refund_if = Result::is_err)]
    async fn limited(user: u32) -> Result<(), Rejection> {
        Ok(())
    }

    let log = Arc::new(Log::default());
    let limiter = builder(&log).connect().await.unwrap();
    let limit = Limit::counter(10, HOUR);
    for _ in 0..12 {
        let _ = limiter.check(&limit, Key::new("near check").by("alice")).await;
        let _ = limiter.charge(&limit, "near charge", 1).await.map(drop);
        let _ = ratelimit::scope(limiter.clone(), limited(7)).await;
    }
    let permits = Limit::concurrency(2, HOUR);
    let held = limiter.permit(&permits, "near permits").await.unwrap();
    drop(limiter.permit(&permits, "near permits").await.unwrap());
    drop(held);
    limiter.close().await;
    assert_eq!(
        log.lines(),
        ["near attribute 1 of one", "near check 2 of one", "near charge 2 of all", "near permits 0 of all"]
    );
    for name in ["near attribute", "near check", "near charge", "near permits"] {
        assert_eq!(counted(name), 1, "{name}");
    }
}

#[tokio::test]
async fn units_that_are_taken_without_a_check_are_told_once() {
    #[rate_limit(key = "near tokens", time = "1h", count = 100, by = user, settle = |tokens: &Result<u32, Rejection>| *tokens.as_ref().unwrap_or(&0))]
    async fn tokens(user: u32, tokens: u32) -> Result<u32, Rejection> {
        Ok(tokens)
    }

    let log = Arc::new(Log::default());
    let limiter = builder(&log).connect().await.unwrap();
    let limit = Limit::token_bucket(100, HOUR);
    for (cost, taken) in [(70, 69), (30, 29)] {
        let charge = limiter.charge(&limit, "near settled", 1).await.unwrap();
        assert_eq!(charge.settle(cost).await.unwrap(), taken);
    }
    let charge = limiter.charge(&limit, "near debt", 1).await.unwrap();
    assert_eq!(charge.settle(150).await.unwrap(), 149);
    for (cost, taken) in [(79, 79), (1, 1), (100, 100), (100, 20)] {
        assert_eq!(limiter.penalize(&limit, "near penalized", cost).await.unwrap(), taken);
    }
    // In debt, everything was in use before.
    assert_eq!(limiter.penalize(&limit, "near debt", 100).await.unwrap(), 50);
    for _ in 0..2 {
        let _ = ratelimit::scope(limiter.clone(), tokens(7, 90)).await;
    }
    limiter.close().await;
    assert_eq!(
        log.lines(),
        ["near settled 0 of all", "near debt 0 of all", "near penalized 20 of all", "near tokens 10 of one"]
    );
    assert_eq!(counted("near settled"), 1);
}

#[tokio::test]
async fn each_limit_of_a_stack_has_its_own_share() {
    let log = Arc::new(Log::default());
    let limiter = builder(&log).near_limit(0.5).connect().await.unwrap();
    let (small, large) = (Limit::counter(4, HOUR), Limit::counter(8, DAY));
    for _ in 0..4 {
        let stack: [(&Limit, &dyn AsKey, u32); 2] = [(&small, &"near/1h", 1), (&large, &"near/1d", 2)];
        let _ = limiter.check_all(&stack).await;
    }
    limiter.close().await;
    assert_eq!(log.lines(), ["near/1h 2 of all", "near/1d 4 of all"]);
}

#[tokio::test]
async fn a_new_window_tells_it_again_and_units_that_come_back_too() {
    let (log, clock) = (Arc::new(Log::default()), ManualClock::new());
    let store = MemoryStore::with_clock(clock.clone());
    let limiter = builder(&log).store(store).connect().await.unwrap();
    let (window, bucket) = (Limit::counter(5, SECOND), Limit::token_bucket(5, SECOND));
    for _ in 0..3 {
        for _ in 0..5 {
            limiter.check(&window, "near window").await.unwrap();
            let _ = limiter.check(&bucket, "near bucket").await;
        }
        clock.advance(SECOND);
    }
    limiter.close().await;
    assert_eq!(log.lines(), ["near window 1 of all", "near bucket 1 of all"].repeat(3));
}

#[tokio::test]
async fn only_decisions_of_the_store_that_bind_are_told() {
    #[rate_limit(key = "near trial", time = "1h", count = 1, shadow = true)]
    async fn trial() {}

    let log = Arc::new(Log::default());
    let limiter = builder(&log).connect().await.unwrap();
    ratelimit::scope(limiter.clone(), trial()).await;
    limiter.close().await;
    let failing = builder(&log).store(StubStore::failing(ErrorKind::Unavailable)).on_error(OnError::Local);
    let failing = failing.connect().await.unwrap();
    failing.check(&Limit::counter(1, HOUR), "near local").await.unwrap();
    failing.close().await;
    let never = builder(&log).near_limit(0.0).connect().await.unwrap();
    never.check(&Limit::counter(1, HOUR), "near never").await.unwrap();
    never.close().await;
    assert_eq!(log.lines(), Vec::<String>::new());
    assert_eq!(counted("near never"), 0);
}
