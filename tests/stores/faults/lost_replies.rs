//! Replies that are lost after the server has decided. Each call is counted at most once.

use crate::harness::{
    HUGE, counted_at, limiter_at, rounds, script_calls, time_until_decided, undecided, used,
};
use ratelimit::{Key, Limit, RateLimiter};
use std::time::Duration;
use support::{Cluster, DAY, Proxy, RedisServer, Traffic};
use tokio::task::JoinSet;

const CALLS: u32 = 10_000;
const LIMIT: Limit = Limit::counter(100, DAY);

/// Calls each key once, 50 keys at a time. Every eighth group loses its replies, alternately by silence and by a reset
/// connection. Returns for each call whether it was decided.
async fn call_each_once(limiter: &RateLimiter, set: impl Fn(Traffic)) -> Vec<bool> {
    const AT_ONCE: u32 = 50;
    let mut decided = vec![false; CALLS as usize];
    for first in (0..CALLS).step_by(AT_ONCE as usize) {
        let fault = match first / AT_ONCE % 16 {
            3 => Some(Traffic::CutReplies),
            11 => Some(Traffic::LoseReplies),
            _ => None,
        };
        if let Some(fault) = fault {
            tokio::task::block_in_place(|| set(fault));
        }
        let mut calls = JoinSet::new();
        for key in first..first + AT_ONCE {
            let limiter = limiter.clone();
            calls.spawn(async move { (key, limiter.check(&LIMIT, Key::new("once").by(key)).await.is_ok()) });
        }
        for (key, was_decided) in calls.join_all().await {
            decided[key as usize] = was_decided;
        }
        if fault.is_some() {
            tokio::task::block_in_place(|| set(Traffic::Pass));
            for canary in 0..20 {
                time_until_decided(limiter, &format!("canary {canary}")).await;
            }
        }
    }
    decided
}

async fn assert_counted_at_most_once(direct: &RateLimiter, decided: &[bool]) {
    let mut lost = 0;
    for (key, decided) in (0..CALLS).zip(decided) {
        let left = direct.peek(&LIMIT, Key::new("once").by(key)).await.unwrap().remaining();
        let counted = LIMIT.count() - left;
        assert!(counted <= 1, "counted {counted} times");
        assert!(counted == 1 || !decided, "decided, and not counted");
        lost += u32::from(counted == 1 && !decided);
    }
    assert!(lost > CALLS / 50, "only {lost} replies were lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_counts_each_call_at_most_once() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = limiter_at(proxy.url()).deadline(Duration::from_millis(100)).connect().await.unwrap();
    let decided = call_each_once(&limiter, |traffic| proxy.set(traffic)).await;
    assert_counted_at_most_once(&limiter_at(server.url()).connect().await.unwrap(), &decided).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_counts_each_call_at_most_once() {
    let cluster = Cluster::behind_proxies(3);
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(100)).connect().await.unwrap();
    let set = |traffic| cluster.ports().into_iter().for_each(|port| cluster.proxy(port).set(traffic));
    let decided = call_each_once(&limiter, set).await;
    assert_counted_at_most_once(&limiter_at(cluster.url()).connect().await.unwrap(), &decided).await;
}

/// The calls come one after another. A call may be sent on a connection that is already reset, so the server executes nearly
/// all calls, but not every call. The server executes no call twice, and counts each call that it executes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_was_executed_is_counted_once() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = counted_at(&proxy.url()).connect().await.unwrap();
    // Makes the server load the scripts.
    limiter.check(&HUGE, "calls").await.unwrap();
    let before = script_calls(&server);
    proxy.set(Traffic::CutReplies);
    let calls = rounds(2000, CALLS);
    for _ in 0..calls {
        let error = undecided(limiter.check(&HUGE, "calls").await);
        assert!(error.to_string().starts_with("lost the connection"), "{error}");
    }
    let executed = u32::try_from(script_calls(&server) - before).unwrap();
    assert!((calls - calls / 100..=calls).contains(&executed), "{executed} of {calls}");
    assert_eq!(used(&limiter_at(server.url()).connect().await.unwrap()).await, 1 + executed);
}
