//! `keep`: calls that leave units to others. Tokio's clock is paused, and the limits use a clock that the tests move.

use crate::harness::{RemoteStore, limited, limiter, scoped, scoped_with, soon};
use ratelimit::clock::ManualClock;
use ratelimit::{Cost, Key, Limit, MemoryStore, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::{HOUR, MINUTE, SECOND};
use tokio::sync::Notify;

limited! {
    #[rate_limit(key = "window", time = 60, count = 10, cost = 2, keep = 4)] window();
    #[rate_limit(key = "of_all", time = 60, count = 10, keep = if matters { 0 } else { 4_usize })]
    #[rate_limit(key = "of_user", time = 60, count = 3, by = user)]
    stacked(user: u32, matters: bool);
    #[rate_limit(key = "planned", limit = limit, keep = 5)] planned(limit: Limit);
    #[rate_limit(key = "leased", time = 60, count = 100, lease = 16, keep = keep)] leased(keep: u32);
}

#[rate_limit(key = "permits", time = 30, count = 3, algorithm = "concurrency", keep = keep, wait = "10s")]
async fn hold(keep: u32, go: &Notify) -> Result<(), Rejection> {
    go.notified().await;
    Ok(())
}

#[tokio::test]
async fn a_refusal_says_when_the_cost_and_the_kept_units_are_free() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        for _ in 0..3 {
            window().await.unwrap();
        }
        clock.advance(SECOND);
        let rejection = window().await.unwrap_err();
        assert_eq!(rejection.retry_after(), Some(MINUTE.saturating_sub(SECOND)));
        clock.advance(MINUTE.saturating_sub(SECOND));
        window().await.unwrap();
        // The call can never pass, because its cost of 2 and the 9 kept units are more than the limit of 10.
        let limit = Limit::counter(10, MINUTE);
        let current = RateLimiter::in_memory();
        let rejection = current.check_cost(&limit, "k", Cost::new(2).keep(9)).await.unwrap_err();
        assert_eq!(rejection.retry_after(), None);
    })
    .await;
}

#[tokio::test]
async fn a_limit_of_a_stack_keeps_its_own_units() {
    scoped(async {
        for user in 0..6 {
            stacked(user, false).await.unwrap();
        }
        assert_eq!(stacked(6, false).await.unwrap_err().name(), "of_all");
        for _ in 0..3 {
            stacked(7, true).await.unwrap();
        }
        assert_eq!(stacked(7, true).await.unwrap_err().name(), "of_user");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_keeps_permits_waits_behind_the_others() {
    scoped(async {
        let (free, busy) = (Notify::new(), Notify::new());
        let mut first = Box::pin(hold(2, &busy));
        assert!(soon(&mut first).await.is_none(), "it holds one of three permits");
        let mut keeps = Box::pin(hold(2, &free));
        assert!(soon(&mut keeps).await.is_none(), "it waits");
        let mut matters = Box::pin(hold(0, &busy));
        assert!(soon(&mut matters).await.is_none(), "it does not wait for the call before it");
        busy.notify_one();
        first.await.unwrap();
        tokio::time::timeout(SECOND, &mut keeps).await.expect_err("one permit is held, and two are too few");
        busy.notify_one();
        matters.await.unwrap();
        free.notify_one();
        tokio::time::timeout(SECOND, keeps).await.expect("it asks again").unwrap();
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_keeps_units_does_not_wait_for_a_later_window() {
    scoped(async {
        for _ in 0..5 {
            planned(Limit::counter(10, MINUTE).wait(HOUR)).await.unwrap();
        }
        let refused = planned(Limit::counter(10, MINUTE).wait(HOUR)).await.unwrap_err();
        assert_eq!(refused.retry_after(), Some(MINUTE));
        // A bucket has no windows, so the call gets a turn.
        for _ in 0..5 {
            planned(Limit::token_bucket(10, MINUTE).wait(HOUR)).await.unwrap();
        }
        let start = tokio::time::Instant::now();
        planned(Limit::token_bucket(10, MINUTE).wait(HOUR)).await.unwrap();
        assert_eq!(start.elapsed(), Duration::from_secs(6));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn leased_units_are_not_for_calls_that_keep_units() {
    let store = RemoteStore::with_clock(&ManualClock::new());
    ratelimit::scope(limiter(store.clone()).await, async {
        for _ in 0..20 {
            leased(0).await.unwrap();
        }
        store.take_requests();
        for _ in 0..10 {
            leased(50).await.unwrap();
        }
        assert_eq!(store.take_requests(), 10);
        assert!(leased(70).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn all_methods_with_a_cost_keep_units() {
    let limiter = RateLimiter::builder().store(MemoryStore::with_clock(ManualClock::new())).build().unwrap();
    let (limit, key) = (Limit::counter(10, MINUTE), || Key::new("methods").by(1));
    let (fits, too_much) = (Cost::new(2).keep(8), Cost::new(2).keep(9));
    assert!(limiter.peek_cost(&limit, key(), fits).await.unwrap().is_allowed());
    assert!(!limiter.peek_cost(&limit, key(), too_much).await.unwrap().is_allowed());
    assert!(limiter.check_cost(&limit, key(), too_much).await.is_err());
    assert!(limiter.acquire_cost(&limit, key(), too_much).await.is_err());
    assert!(limiter.charge(&limit, key(), too_much).await.is_err());
    assert!(limiter.check_all(&[(&limit, &key(), too_much)]).await.is_err());
    let admitted = limiter.check_all(&[(&limit, &key(), fits)]).await.unwrap();
    assert_eq!(admitted[0].decision().remaining(), 8);
    let permits = Limit::concurrency(3, MINUTE);
    let held = limiter.permit_cost(&permits, "permits", Cost::new(1).keep(2)).await.unwrap();
    assert!(limiter.permit_cost(&permits, "permits", Cost::new(1).keep(2)).await.is_err());
    drop(held);
}
