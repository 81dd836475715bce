//! The size of leases follows the call rate of a process, and surplus units are returned.

use super::lease::{WINDOW, leasing, passed, passes};
use crate::harness::{RemoteStore, limiter};
use ratelimit::Limit;
use ratelimit::clock::ManualClock;
use std::time::Duration;
use support::SECOND;
use tokio::time::Instant;

/// A process with one call per 10 ms needs leases of ten units for 100 ms. A process with one call per second needs no
/// lease.
#[tokio::test(start_paused = true)]
async fn a_lease_follows_the_rate_of_calls() {
    let (limiter, store) = leasing().await;
    let many = Limit::token_bucket(10_000, WINDOW).lease(1000);
    for _ in 0..500 {
        assert!(passes(&limiter, &many).await);
        tokio::time::sleep(SECOND / 100).await;
    }
    let asked = store.take_requests();
    assert!((50..65).contains(&asked), "{asked} requests in 5 seconds");
    for call in 1..=10 {
        tokio::time::sleep(SECOND).await;
        assert!(passes(&limiter, &many).await);
        assert_eq!(limiter.peek(&many, "k").await.unwrap().remaining(), 9500 - call);
    }
}

/// A bucket that refills quickly causes as few requests to the store as a counter.
#[tokio::test(start_paused = true)]
async fn a_bucket_that_refills_quickly_is_asked_rarely() {
    let clock = ManualClock::new();
    let store = RemoteStore::with_clock(&clock);
    let limiter = limiter(store.clone()).await;
    let bucket = Limit::token_bucket(10_000, SECOND).lease_auto();
    for _ in 0..500 {
        assert!(passes(&limiter, &bucket).await);
        clock.advance(SECOND / 100);
        tokio::time::sleep(SECOND / 100).await;
    }
    let asked = store.take_requests();
    assert!((75..100).contains(&asked), "{asked} requests in 5 seconds, about 80 expected");
}

/// A process that keeps calling returns units that it does not need.
#[tokio::test(start_paused = true)]
async fn surplus_units_are_returned_while_the_process_calls() {
    let (limiter, _) = leasing().await;
    let many = Limit::token_bucket(10_000, WINDOW).lease(1000);
    assert_eq!(passed(&limiter, &many, 1024).await, 1024);
    for _ in 0..4 {
        assert!(passes(&limiter, &many).await);
        tokio::time::sleep(SECOND / 5).await;
    }
    assert_eq!(limiter.peek(&many, "k").await.unwrap().remaining(), 10_000 - 1028);
}

/// A reply takes 5 ms, in which the calls use 5 units. Once half of a lease has at least 5 units, the next lease arrives
/// before the current one is used up.
#[tokio::test(start_paused = true)]
async fn units_are_fetched_before_the_last_ones_are_used() {
    let store = RemoteStore::with_clock(&ManualClock::new()).delayed(SECOND / 200);
    let limiter = limiter(store.clone()).await;
    let many = Limit::counter(1_000_000, WINDOW).lease(1000);
    let mut waited = Vec::new();
    for call in 0..3000 {
        let began = Instant::now();
        assert!(passes(&limiter, &many).await);
        if began.elapsed() > Duration::ZERO {
            waited.push(call);
        }
        tokio::time::sleep(SECOND / 1000).await;
    }
    assert!(waited.iter().all(|call| *call < 32), "{waited:?}");
    let asked = store.take_requests();
    assert!((10..25).contains(&asked), "{asked} requests in 3 seconds");
}
