//! Limiters with extreme limits on both stores: leases, the deny cache, turns, charges and permits, with several concurrent
//! calls.

use crate::harness::{decision, limiter_on, operations, poll_once, seed};
use crate::models::random::extremes::{cost, limits, pause};
use ratelimit::clock::ManualClock;
use ratelimit::{Algorithm, Decision, Key, Limit, MemoryStore, OnError, RateLimiter, Rejection};
use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use support::{MINUTE, RedisServer};
use tokio::task::unconstrained;

/// A random call.
#[derive(Clone, Copy, Debug)]
struct Call {
    kind: u8,
    key: u8,
    cost: u32,
    other: u32,
}

fn in_range(call: Call, limit: &Limit, decision: Decision) {
    assert!(decision.remaining() <= decision.capacity(), "{limit}: {call:?}: {decision:?}");
    assert!(decision.delay() <= limit.longest_wait(), "{limit}: {call:?}: {decision:?}");
    assert!(decision.retry_after().is_none_or(|wait| !wait.is_zero()), "{limit}: {call:?}: {decision:?}");
}

fn refused(call: Call, limit: &Limit, rejection: &Rejection) {
    let Rejection::Limited(limited) = rejection else { panic!("{limit}: {call:?}: {rejection:?}") };
    in_range(call, limit, limited.decision());
    assert!(limited.retry_after_secs().is_none_or(|seconds| seconds >= 1));
}

/// Returns the outcome of a call after the store has decided. Drops the call and returns `None` if it waits for a later turn.
async fn outcome_now<F: Future>(limiter: &RateLimiter, limit: &Limit, call: F) -> Option<F::Output> {
    // The calls of one task that tokio polls for long would take turns with its other tasks.
    let mut call = pin!(unconstrained(call));
    for _ in 0..4 {
        if let Poll::Ready(answer) = poll_once(&mut call).await {
            return Some(answer);
        }
        let _ = limiter.peek(limit, "another").await.unwrap();
    }
    None
}

async fn make(limiter: &RateLimiter, limit: Limit, call: Call) {
    let (key, Call { kind, cost, other, .. }) = (Key::new("edges").by(call.key), call);
    if limit.is_concurrency() {
        match outcome_now(limiter, &limit, limiter.permit_cost(&limit, key, cost)).await {
            Some(Ok(permit)) => in_range(call, &limit, permit.decision()),
            Some(Err(rejection)) => refused(call, &limit, &rejection),
            None => assert!(!limit.longest_wait().is_zero(), "{limit}: {call:?} waits"),
        }
        return;
    }
    match kind {
        0..4 => in_range(call, &limit, decision(limiter.check_cost(&limit, key, cost).await)),
        4 => match outcome_now(limiter, &limit, limiter.acquire_cost(&limit, key, cost)).await {
            Some(outcome) => in_range(call, &limit, decision(outcome)),
            None => assert!(!limit.longest_wait().is_zero(), "{limit}: {call:?} waits"),
        },
        5 | 6 => match outcome_now(limiter, &limit, limiter.charge(&limit, key, cost)).await {
            Some(Ok(charge)) if kind == 5 => assert!(charge.refund().await.unwrap() <= cost),
            Some(Ok(charge)) => assert!(charge.settle(other).await.unwrap() <= other.abs_diff(cost)),
            Some(Err(rejection)) => refused(call, &limit, &rejection),
            None => assert!(!limit.longest_wait().is_zero(), "{limit}: {call:?} waits"),
        },
        _ => assert!(limiter.penalize(&limit, key, cost).await.unwrap() <= cost),
    }
    in_range(call, &limit, limiter.peek(&limit, key).await.unwrap());
}

/// Repeatedly makes three concurrent calls. `passes` advances the time.
async fn try_out(limiter: &RateLimiter, rounds: usize, mut passes: impl FnMut(&mut fastrand::Rng, &Limit)) {
    let mut random = fastrand::Rng::with_seed(seed());
    for algorithm in Algorithm::ALL {
        let limits = limits(algorithm);
        for _ in 0..rounds {
            let limit = random.choice(&limits).copied().unwrap();
            for _ in 0..4 {
                let mut call = || Call {
                    kind: random.u8(0..8),
                    key: random.u8(0..2),
                    cost: cost(&mut random, &limit),
                    other: cost(&mut random, &limit),
                };
                let [a, b, c] = [call(), call(), call()];
                let [a, b, c] = [a, b, c].map(|call| Box::pin(make(limiter, limit, call)));
                tokio::join!(a, b, c);
                passes(&mut random, &limit);
            }
        }
    }
    limiter.close().await;
}

#[tokio::test]
async fn in_memory_with_a_clock_near_its_end() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let limiter = RateLimiter::builder().store(store).deadline(Duration::MAX).connect().await.unwrap();
    let passes = |random: &mut fastrand::Rng, limit: &Limit| match random.u8(0..8) {
        0 => clock.set(Duration::from_micros(u64::MAX - pause(random, limit))),
        1 => clock.set(Duration::ZERO),
        _ => clock.advance(Duration::from_micros(pause(random, limit))),
    };
    try_out(&limiter, operations(7200) / 72, passes).await;
}

#[tokio::test]
async fn on_a_server() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    try_out(&limiter, operations(1800) / 72, |_, _| {}).await;
}

#[tokio::test]
async fn a_limiter_with_any_deadline_can_be_closed() {
    let minute = MINUTE;
    for deadline in
        [Duration::from_millis(1), Duration::from_micros(u64::MAX), Duration::MAX / 5, Duration::MAX]
    {
        let limiter = RateLimiter::builder().deadline(deadline).connect().await.unwrap();
        let leased = Limit::counter(1000, minute).lease(100);
        limiter.check(&leased, "calls").await.unwrap();
        let permit = limiter.permit(&Limit::concurrency(1, minute), "jobs").await.unwrap();
        limiter.close().await;
        drop(permit);
        limiter.check(&leased, "calls").await.unwrap();
    }
}
