//! Calls that wait for a turn: in order of arrival, as far apart as the limit says. A dropped call returns its turn.

use crate::harness::{
    assert_all_expire, counted_at, decision, limiter_on, poll_once, script_calls, soon, wait_for,
};
use ratelimit::{Decision, Limit, OnError, RateLimiter, Refill};
use std::task::Poll;
use std::time::{Duration, Instant};
use support::{HOUR, RedisServer, SECOND};

const CALLS: u64 = 200;

/// Starts calls in this order from one task. Returns each decision and the time at which its call was admitted.
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

/// The turns in ms of calls that arrive at the same time: each is the first moment, not before the previous turn, at
/// which the limit has room. `room` takes the previous turns and a moment.
fn turns(room: impl Fn(&[u64], u64) -> bool) -> Vec<u64> {
    let mut turns = Vec::new();
    for _ in 0..CALLS {
        let mut turn = turns.last().copied().unwrap_or(0);
        while !room(&turns, turn) {
            turn += 1;
        }
        turns.push(turn);
    }
    turns
}

/// Asserts that all calls are admitted, none before its turn, with at most one request each. A turn may be `late(k)`
/// ms later than in theory.
async fn calls_take_turns(limit: Limit, theory: &[u64], late: impl Fn(usize) -> u64) -> Vec<Decision> {
    let server = RedisServer::start();
    let limiter = counted_at(&server.url()).connect().await.unwrap();
    // The server learns the script.
    limiter.acquire(&limit, "first").await.unwrap();
    let (calls, sent) = (script_calls(&server), Instant::now());
    let outcomes = acquire_in_order(&limiter, limit).await;
    let requests = script_calls(&server) - calls;
    assert!(requests <= CALLS, "{requests} requests for {CALLS} calls");
    for (k, ((decision, came), turn)) in outcomes.iter().zip(theory).enumerate() {
        assert!(decision.is_allowed(), "call {k}");
        // A call that is decided later waits for less time.
        assert!(
            ms(decision.delay()) <= turn + late(k),
            "call {k} waits for {:?}, not {turn} ms",
            decision.delay()
        );
        // The resolution of the clock is 1 ms.
        assert!(ms(*came - sent) + 1 >= *turn, "call {k} came before its turn");
    }
    assert_all_expire(&server, &[limit]);
    outcomes.into_iter().map(|(decision, _)| decision).collect()
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap()
}

/// Asserts that turns follow the order of the calls: a call is decided after the one before it, so it waits longer by
/// at most the distance of their turns.
async fn calls_take_turns_in_order(limit: Limit, theory: &[u64]) {
    let decisions = calls_take_turns(limit, theory, |_| 0).await;
    for (k, (decisions, turns)) in decisions.windows(2).zip(theory.windows(2)).enumerate() {
        let longest = ms(decisions[0].delay()) + turns[1] - turns[0];
        assert!(ms(decisions[1].delay()) <= longest, "call {} comes too long after the one before it", k + 1);
    }
}

/// The other limits admit 20 calls at once, or 20 per 200 ms.
const FIFTH: Duration = Duration::from_millis(200);
const AT_ONCE: u64 = 20;

#[tokio::test]
async fn a_queue_lets_calls_leave_evenly() {
    let limit = Limit::leaky_bucket(100, SECOND).wait(2 * SECOND);
    calls_take_turns_in_order(limit, &turns(|before, turn| turn >= before.len() as u64 * 10)).await;
}

#[tokio::test]
async fn a_greedy_bucket_gives_turns_as_tokens_come_back() {
    let limit = Limit::token_bucket(100, SECOND).burst(20).wait(3 * SECOND);
    let room = |before: &[u64], turn| (before.len() as u64) < AT_ONCE + turn / 10;
    calls_take_turns_in_order(limit, &turns(room)).await;
}

#[tokio::test]
async fn an_interval_bucket_gives_turns_by_the_step() {
    let limit = Limit::token_bucket(20, FIFTH).refill(Refill::Interval).wait(3 * SECOND);
    let room = |before: &[u64], turn| (before.len() as u64) < AT_ONCE + turn / 200 * AT_ONCE;
    calls_take_turns_in_order(limit, &turns(room)).await;
}

#[tokio::test]
async fn a_counter_gives_turns_in_later_windows() {
    let limit = Limit::counter(20, FIFTH).wait(3 * SECOND);
    let room = |before: &[u64], turn| within(before, turn / 200) < AT_ONCE;
    calls_take_turns_in_order(limit, &turns(room)).await;
}

#[tokio::test]
async fn a_sliding_window_gives_turns_as_it_slides() {
    let limit = Limit::sliding_window(20, FIFTH).wait(3 * SECOND);
    let room = |before: &[u64], turn| {
        let (cell, left) = (turn / 200, 200 - turn % 200);
        let previous = if cell > 0 { within(before, cell - 1) } else { 0 };
        (within(before, cell) + 1) * 200 + previous * left <= AT_ONCE * 200
    };
    calls_take_turns_in_order(limit, &turns(room)).await;
}

#[tokio::test]
async fn a_sliding_log_gives_turns_as_units_expire() {
    let limit = Limit::sliding_log(20, FIFTH).wait(3 * SECOND);
    let room = |before: &[u64], turn| before.iter().filter(|earlier| **earlier + 200 > turn).count() < 20;
    // Each turn is rounded to whole ms.
    let decisions = calls_take_turns(limit, &turns(room), |k| k as u64 / AT_ONCE + 1).await;
    // The stamp is the turn, in microseconds of the server's clock.
    let stamps: Vec<u64> = decisions.iter().map(Decision::stamp).collect();
    assert!(stamps.is_sorted(), "in the order in which calls were sent");
    for (k, (expires, stamp)) in stamps.iter().zip(&stamps[20..]).enumerate() {
        let free = (expires + 200_000).max(stamps[k + 19]);
        assert!((free..free + 1000).contains(stamp), "call {} has its turn {} us late", k + 20, stamp - free);
    }
}

/// The number of turns in the cell of 200 ms with this number.
fn within(turns: &[u64], cell: u64) -> u64 {
    turns.iter().filter(|turn| **turn / 200 == cell).count() as u64
}

/// One more call per hour, for each algorithm whose turns are known in advance.
fn hourly(wait: Duration) -> [Limit; 6] {
    let bucket = Limit::token_bucket(1, HOUR);
    let limits = [
        Limit::counter(1, HOUR),
        bucket,
        bucket.refill(Refill::Interval),
        Limit::sliding_window(2, HOUR),
        Limit::sliding_log(1, HOUR),
        Limit::leaky_bucket(1, HOUR),
    ];
    limits.map(|limit| limit.wait(wait))
}

#[tokio::test]
async fn a_call_that_would_wait_too_long_is_refused_at_once_and_charged_nothing() {
    for limit in hourly(HOUR / 6) {
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

/// The next free turn, in half hours from now.
async fn next_turn(limiter: &RateLimiter, limit: &Limit) -> u64 {
    let wait = limiter.peek(limit, "turns").await.unwrap().retry_after().unwrap();
    (wait + HOUR / 4).as_secs() / (HOUR.as_secs() / 2)
}

/// Starts a call that waits for a turn, and returns when the store has reserved the turn.
async fn waiting(limiter: &RateLimiter, limit: Limit) -> tokio::task::JoinHandle<()> {
    let before = next_turn(limiter, &limit).await;
    let caller = limiter.clone();
    let call = tokio::spawn(async move {
        let decision = caller.acquire(&limit, "turns").await;
        panic!("an hour early: {decision:?}");
    });
    wait_for("the store reserves a turn", async || next_turn(limiter, &limit).await != before).await;
    call
}

/// Drops a call, and waits until its turn was returned.
async fn leave(limiter: &RateLimiter, call: tokio::task::JoinHandle<()>) {
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    limiter.close().await;
}

#[tokio::test]
async fn a_dropped_call_returns_its_turn_only_if_it_is_the_last() {
    for limit in hourly(24 * HOUR) {
        let server = RedisServer::start();
        let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
        limiter.check_cost(&limit, "turns", limit.count()).await.unwrap();
        let first = waiting(&limiter, limit).await;
        let second = next_turn(&limiter, &limit).await;
        let leaves = waiting(&limiter, limit).await;
        let third = next_turn(&limiter, &limit).await;
        assert!(second < third, "{limit}");

        leave(&limiter, leaves).await;
        assert_eq!(next_turn(&limiter, &limit).await, second, "{limit}: the last turn was returned");
        let next = waiting(&limiter, limit).await;
        assert_eq!(next_turn(&limiter, &limit).await, third, "{limit}: the next call has it");

        leave(&limiter, first).await;
        assert_eq!(next_turn(&limiter, &limit).await, third, "{limit}: later calls keep their turns");
        leave(&limiter, next).await;
        assert_all_expire(&server, &[limit]);
    }
}
