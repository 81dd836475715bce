//! `lease`: units that a process takes in advance.

use crate::harness::{RemoteStore, limited, limiter, scoped};
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::{HOUR, MINUTE, SECOND};

pub(super) const WINDOW: Duration = MINUTE;

pub(super) const LIMIT: Limit = Limit::counter(100, WINDOW).lease(16);

/// Returns a limiter on a remote store, and the store. The clock of the store stands still.
pub(super) async fn leasing() -> (RateLimiter, RemoteStore) {
    let store = RemoteStore::with_clock(&ManualClock::new());
    (limiter(store.clone()).await, store)
}

pub(super) async fn passes(limiter: &RateLimiter, limit: &Limit) -> bool {
    match limiter.check(limit, "k").await {
        Ok(_) => true,
        Err(Rejection::Limited(_)) => false,
        Err(rejection) => panic!("it could not be decided: {rejection:?}"),
    }
}

/// Makes `calls` calls, one after another. Returns how many were admitted.
pub(super) async fn passed(limiter: &RateLimiter, limit: &Limit, calls: usize) -> usize {
    let mut passed = 0;
    for _ in 0..calls {
        passed += usize::from(passes(limiter, limit).await);
    }
    passed
}

limited! {
    #[rate_limit(key = "k", time = 60, count = 100, lease = "auto")] leased_by_itself();
    /// The count may differ between calls.
    #[rate_limit(key = "k", time = 60, count = count, lease = "auto")] leased_of(count: u32);
    #[rate_limit(key = "k", time = 60, count = 100, lease = 16)] leased();
}

#[tokio::test(start_paused = true)]
async fn a_window_is_used_up_exactly_with_few_requests() {
    let (limiter, store) = leasing().await;
    ratelimit::scope(limiter, async {
        let mut passed = 0;
        for _ in 0..100 {
            passed += usize::from(leased().await.is_ok());
        }
        assert_eq!(passed, 100);
        // The fetches take 1, 2, 4, 8, and five times 16 units. The last 5 units take at most four more requests.
        let asked = store.take_requests();
        assert!(asked <= 13, "{asked} requests");
        assert!(leased().await.is_err());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_automatic_lease_follows_the_limit() {
    let (limiter, store) = leasing().await;
    ratelimit::scope(limiter.clone(), async {
        let mut passed = 0;
        for _ in 0..100 {
            passed += usize::from(leased_by_itself().await.is_ok());
        }
        assert_eq!(passed, 100);
        // The fetches take 1, 2, 4, and fifteen times 6 units. The last 3 units take at most two more requests.
        let asked = store.take_requests();
        assert!((18..=20).contains(&asked), "{asked} requests");
        assert!(leased_by_itself().await.is_err());

        limiter.reset(&Limit::counter(100, WINDOW), "k").await.unwrap();
        store.take_requests();
        for _ in 0..1000 {
            assert!(leased_of(16_000).await.is_ok());
        }
        assert!(store.take_requests() <= 11, "up to a thousand at once");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unused_units_are_returned() {
    let (limiter, _) = leasing().await;
    assert_eq!(passed(&limiter, &LIMIT, 20).await, 20);
    let left = async || limiter.peek(&LIMIT, "k").await.unwrap().remaining();
    assert!(left().await < 80);
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(left().await, 80, "unused units must be returned");

    assert_eq!(passed(&limiter, &LIMIT, 20).await, 20);
    limiter.close().await;
    assert_eq!(left().await, 60);
    assert_eq!(passed(&limiter, &LIMIT, 100).await, 60);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_block_returns_leased_units() {
    let (limiter, _) = leasing().await;
    assert_eq!(passed(&limiter, &LIMIT, 20).await, 20);
    limiter.unblock(&LIMIT, "k").await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(passed(&limiter, &LIMIT, 100).await, 80);
}

#[tokio::test(start_paused = true)]
async fn leased_units_last_while_the_store_fails_and_then_the_policy_decides() {
    let store = RemoteStore::with_clock(&ManualClock::new());
    let limiter = limiter(store.clone()).await.with_on_error(ratelimit::OnError::Deny);
    assert_eq!(passed(&limiter, &LIMIT, 16).await, 16);
    store.fail();
    let mut without = 0;
    while limiter.check(&LIMIT, "k").await.is_ok() {
        without += 1;
    }
    assert_eq!(without, 1 + 2 + 4 + 8 + 16 - 16);
}

#[tokio::test(start_paused = true)]
async fn a_limit_with_other_numbers_starts_a_new_lease() {
    let (limiter, _) = leasing().await;
    assert_eq!(passed(&limiter, &LIMIT, 20).await, 20);
    let fewer = Limit::counter(30, WINDOW).lease(4);
    assert_eq!(passed(&limiter, &fewer, 100).await, 10);
    limiter.reset(&LIMIT, "k").await.unwrap();
    assert_eq!(passed(&limiter, &LIMIT, 200).await, 100);
}

#[tokio::test(start_paused = true)]
async fn a_small_limit_leases_nothing() {
    let (limiter, store) = leasing().await;
    for limit in [Limit::counter(31, WINDOW).lease_auto(), Limit::token_bucket(5, WINDOW).lease_auto()] {
        store.take_requests();
        assert_eq!(passed(&limiter, &limit, 31).await, limit.count() as usize);
        assert!(store.take_requests() >= limit.count() as usize);
        limiter.reset(&limit, "k").await.unwrap();
    }
}

/// Makes `calls` calls at the same time. Returns how many were admitted.
async fn passed_at_once(limiter: &RateLimiter, calls: usize) -> usize {
    let call = |_| {
        let limiter = limiter.clone();
        tokio::spawn(async move { passes(&limiter, &LIMIT).await })
    };
    let mut passed = 0;
    for call in (0..calls).map(call).collect::<Vec<_>>() {
        passed += usize::from(call.await.unwrap());
    }
    passed
}

#[tokio::test(start_paused = true)]
async fn calls_at_the_same_time_share_a_fetch() {
    let (limiter, store) = leasing().await;
    assert_eq!(passed_at_once(&limiter, 17).await, 17);
    assert_eq!(store.take_requests(), 3, "for the first, for the second, and for all that waited for that");
}

/// If the lease is too small for all waiting calls, the remaining calls ask the store themselves.
#[tokio::test(start_paused = true)]
async fn calls_beyond_the_lease_ask_the_store_themselves() {
    let (limiter, store) = leasing().await;
    assert_eq!(passed_at_once(&limiter, 90).await, 90);
    let asked = store.take_requests();
    assert_eq!(asked, 90 - 17 + 3);
    assert_eq!(passed_at_once(&limiter, 300).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_fetch_keeps_no_call_waiting() {
    let (limiter, _) = leasing().await;
    let mut given_up = Box::pin(limiter.check(&LIMIT, "k"));
    assert!(crate::harness::soon(&mut given_up).await.is_none());
    drop(given_up);
    assert!(passes(&limiter, &LIMIT).await);
}

#[tokio::test(start_paused = true)]
async fn costs_above_the_lease_and_stacks_ask_the_store() {
    let (limiter, _) = leasing().await;
    limiter.check_cost(&LIMIT, "k", 17).await.unwrap();
    assert_eq!(limiter.peek(&LIMIT, "k").await.unwrap().remaining(), 83);
    let hourly = Limit::counter(10, HOUR).lease(5);
    let stack = limiter.check_all(&[(&LIMIT, &"k", 1), (&hourly, &"hourly", 1)]).await.unwrap();
    assert_eq!(stack[1].decision().remaining(), 9);
}

#[tokio::test]
async fn a_lease_changes_nothing_in_memory() {
    scoped(async {
        for _ in 0..100 {
            assert!(leased().await.is_ok());
        }
        assert!(leased().await.is_err());
    })
    .await;
}

/// For a plan below 1000 units, the lease of 500 units is more than half of the count, so it is lowered to this half.
#[rate_limit(key = "k", time = 60, count = plan, lease = 500)]
async fn leased_by_plan(plan: u32) -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_lease_follows_a_count_that_is_known_at_the_call() {
    for plan in [10_000, 1000, 999, 100, 3, 1] {
        scoped(async { assert!(leased_by_plan(plan).await.is_ok(), "{plan}") }).await;
    }
    let refused = scoped(leased_by_plan(0)).await.unwrap_err();
    assert!(matches!(refused, Rejection::Limited(_)), "{refused:?}");
}
