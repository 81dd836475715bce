//! Calls that wait for a turn: they pass in order of arrival, at the intervals of their limit.

use crate::harness::{assert_all_expire, charging, counted_at, decision, poll_once, script_calls, soon};
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::traffic::START;
use ratelimit::store::Mode;
use ratelimit::{Decision, Limit, RateLimiter};
use std::task::Poll;
use std::time::{Duration, Instant};
use support::{HOUR, RedisServer};

const CALLS: u64 = 200;

/// Starts calls in sequence from one task. Returns each decision, and the time at which its call was admitted.
async fn acquire_in_order(limiter: &RateLimiter, limit: Limit) -> Vec<(Decision, Instant)> {
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let limiter = limiter.clone();
        let mut call = Box::pin(async move { limiter.acquire(&limit, "turns").await });
        let first = poll_once(&mut call).await;
        calls.push(tokio::spawn(async move {
            let outcome = match first {
                Poll::Ready(outcome) => outcome,
                Poll::Pending => call.await,
            };
            (decision(outcome), Instant::now())
        }));
        tokio::task::yield_now().await;
    }
    let mut turns = Vec::new();
    for call in calls {
        turns.push(call.await.unwrap());
    }
    turns
}

/// Asserts that all calls are admitted in order and not before their turns, with at most one request per call.
async fn calls_take_turns(numbers: Numbers) {
    let (server, limit, mut definition) = (RedisServer::start(), numbers.limit(), numbers.definition());
    // The turns in ms if all calls arrive at the same time. A call that arrives later waits for less time.
    let turns: Vec<u64> = (0..CALLS).map(|_| definition.decide(START, Mode::Charge, 1, 0).delay).collect();
    let limiter = counted_at(&server.url()).connect().await.unwrap();
    // Makes the server load the script.
    limiter.acquire(&limit, "first").await.unwrap();
    let (calls, sent) = (script_calls(&server), Instant::now());
    let outcomes = acquire_in_order(&limiter, limit).await;
    let requests = script_calls(&server) - calls;
    assert!(requests <= CALLS, "{requests} requests for {CALLS} calls");
    let mut before = None;
    for (k, ((decision, came), turn)) in outcomes.iter().zip(&turns).enumerate() {
        assert!(decision.is_allowed(), "{limit}: call {k}");
        // The turns of a log are rounded to whole ms. This can add 1 ms in each period.
        let late = if numbers.kind == Kind::Log { k as u64 / u64::from(numbers.count) + 1 } else { 0 };
        let delay = ms(decision.delay());
        assert!(delay <= turn + late, "{limit}: call {k} waits for {delay} ms, not {turn}");
        // The resolution of the clock is 1 ms.
        assert!(ms(*came - sent) + 1 >= *turn, "{limit}: call {k} came before its turn");
        // Each call is decided after the previous call. Compared with that call, it waits longer by at most the distance
        // between the two turns.
        if let Some((delay_before, turn_before)) = before.replace((delay, turn)).filter(|_| late == 0) {
            let longest = delay_before + turn - turn_before;
            assert!(delay <= longest, "{limit}: call {k} comes too long after the one before it");
        }
    }
    assert_all_expire(&server, &[limit]);
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap()
}

#[tokio::test]
async fn calls_take_their_turns() {
    for numbers in [
        Numbers::new(Kind::Leaky, 100, 1000).wait(2000),
        Numbers::new(Kind::Greedy, 100, 1000).burst(20).wait(3000),
        Numbers::new(Kind::Interval, 20, 200).wait(3000),
        Numbers::new(Kind::Counter, 20, 200).wait(3000),
        Numbers::new(Kind::Window, 20, 200).wait(3000),
        Numbers::new(Kind::Log, 20, 200).wait(3000),
    ] {
        calls_take_turns(numbers).await;
    }
}

/// Limits of one unit per hour, with each algorithm whose turns are known in advance.
#[tokio::test]
async fn a_call_that_would_wait_too_long_is_refused_at_once_and_charged_nothing() {
    let window = Limit::sliding_window(2, HOUR);
    let others = charging(1, HOUR).into_iter().filter(|limit| limit.algorithm() != window.algorithm());
    for limit in others.chain([window]) {
        let limit = limit.wait(HOUR / 6);
        let server = RedisServer::start();
        let mut raw = server.raw();
        let limiter = counted_at(&server.url()).connect().await.unwrap();
        limiter.acquire_cost(&limit, "late", limit.count()).await.unwrap();
        let mut state = || -> Vec<Vec<u8>> {
            let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut raw).unwrap();
            keys.iter().map(|key| redis::cmd("DUMP").arg(key).query(&mut raw).unwrap()).collect()
        };
        let (before, calls) = (state(), script_calls(&server));
        let refused = decision(soon(limiter.acquire(&limit, "late")).await);
        assert!(!refused.is_allowed(), "{limit}");
        assert!(refused.retry_after().unwrap() > HOUR / 6, "{limit}: {refused:?}");
        assert_eq!((state(), script_calls(&server)), (before, calls + 1), "{limit}");
        assert_all_expire(&server, &[limit]);
    }
}
