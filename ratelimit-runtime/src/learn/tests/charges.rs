//! Tests of charges: what a refused, settled, refunded, dropped or cancelled call costs, and what it teaches.

use super::numbers::{estimator, settle};
use crate::clock::ManualClock;
use crate::learn::Estimator;
use crate::{Charge, Limit, MemoryStore, RateLimiter, Rejection};
use std::time::Duration;

const BUDGET: Limit = Limit::token_bucket(10_000, Duration::from_secs(3600));

fn limiter() -> RateLimiter {
    RateLimiter::builder().store(MemoryStore::with_clock(ManualClock::new())).build().unwrap()
}

async fn charge(limiter: &RateLimiter, of: &'static Estimator) -> Result<Charge, Rejection> {
    limiter.charge_estimate(&BUDGET, "tokens", of.estimate(4096)).await
}

async fn used(limiter: &RateLimiter) -> u32 {
    10_000 - limiter.peek(&BUDGET, "tokens").await.unwrap().remaining()
}

#[tokio::test]
async fn a_settled_call_costs_what_it_used_and_teaches() {
    let (limiter, estimator) = (limiter(), estimator());
    settle(estimator, [100; 31]);
    let call = charge(&limiter, estimator).await.unwrap();
    assert_eq!((used(&limiter).await, estimator.plain.in_flight()), (4096, 1));
    call.settle(100).await.unwrap();
    assert_eq!((used(&limiter).await, estimator.plain.in_flight()), (100, 0));
    let call = charge(&limiter, estimator).await.unwrap();
    assert_eq!(used(&limiter).await, 200);
    call.settle(5000).await.unwrap(); // above the ceiling
    assert_eq!(used(&limiter).await, 5100);
    assert!(estimator.estimate(4096).units() > 100);
}

#[tokio::test]
async fn a_refund_costs_nothing_and_teaches_nothing() {
    let (limiter, estimator) = (limiter(), estimator());
    settle(estimator, [100; 32]);
    charge(&limiter, estimator).await.unwrap().refund().await.unwrap();
    assert_eq!((used(&limiter).await, estimator.plain.in_flight()), (0, 0));
    assert_eq!(estimator.estimate(4096).units(), 100);
}

#[tokio::test]
async fn a_dropped_call_costs_its_ceiling_and_teaches_nothing() {
    let (limiter, estimator) = (limiter(), estimator());
    settle(estimator, [100; 32]);
    let call = charge(&limiter, estimator).await.unwrap();
    assert_eq!(used(&limiter).await, 100);
    drop(call);
    assert_eq!((used(&limiter).await, estimator.plain.in_flight()), (4096, 0));
    assert_eq!(estimator.estimate(4096).units(), 100);
}

#[tokio::test]
async fn a_refused_call_is_not_in_flight() {
    let (limiter, estimator) = (limiter(), estimator());
    let _calls = [charge(&limiter, estimator).await.unwrap(), charge(&limiter, estimator).await.unwrap()];
    assert_eq!(charge(&limiter, estimator).await.unwrap_err().status(), 429);
    assert_eq!(estimator.plain.in_flight(), 2);
}

/// An adversary teaches that calls are cheap, and then fills the budget with calls that cost their ceiling.
#[tokio::test]
async fn the_worst_case_is_the_calls_in_flight_times_what_was_not_charged() {
    let (limiter, estimator) = (limiter(), estimator());
    settle(estimator, [20; 1000]);
    let mut calls = Vec::new();
    while let Ok(call) = charge(&limiter, estimator).await {
        calls.push(call);
    }
    assert_eq!(calls.len(), 10_000 / 20, "each call in flight is charged at least its estimate");
    for call in calls {
        call.settle(4096).await.unwrap();
    }
    // 500 * 4096 were used. One capacity is debt, the rest is lost: the next call passes after the debt is paid back.
    let refused = charge(&limiter, estimator).await.unwrap_err();
    let wait = refused.retry_after().unwrap();
    assert!(wait > Duration::from_secs(3600) && wait < Duration::from_secs(2 * 3600), "{wait:?}");
    assert_eq!(estimator.estimate(4096).units(), 4096);
}
