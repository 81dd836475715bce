//! Replies that are lost after the server has decided: whatever became of a call, it is counted once at most.

use crate::failover::found;
use crate::setup::{rounds, undecided};
use crate::topologies::limiter_at;
use ratelimit::{Key, Limit, RateLimiter};
use std::time::Duration;
use support::{Cluster, Proxy, RedisServer, Traffic};
use tokio::task::JoinSet;

const CALLS: u32 = 10_000;
const LIMIT: Limit = Limit::counter(100, Duration::from_secs(86_400));

/// One call on each of many keys, many at once; every eighth group of them loses its replies, in turn by silence and by a
/// broken connection. Answers which were answered.
async fn call_each_once(limiter: &RateLimiter, set: impl Fn(Traffic)) -> Vec<bool> {
    const AT_ONCE: u32 = 50;
    let mut answered = vec![false; CALLS as usize];
    for first in (0..CALLS).step_by(AT_ONCE as usize) {
        let trouble = match first / AT_ONCE % 16 {
            3 => Some(Traffic::CutReplies),
            11 => Some(Traffic::LoseReplies),
            _ => None,
        };
        if let Some(trouble) = trouble {
            tokio::task::block_in_place(|| set(trouble));
        }
        let mut calls = JoinSet::new();
        for key in first..first + AT_ONCE {
            let limiter = limiter.clone();
            calls.spawn(async move { (key, limiter.check(&LIMIT, Key::new("once").by(key)).await.is_ok()) });
        }
        for (key, was_answered) in calls.join_all().await {
            answered[key as usize] = was_answered;
        }
        if trouble.is_some() {
            tokio::task::block_in_place(|| set(Traffic::Pass));
            for canary in 0..20 {
                found(limiter, &format!("canary {canary}")).await;
            }
        }
    }
    answered
}

async fn counted_once_at_most(direct: &RateLimiter, answered: &[bool]) {
    let mut unheard = 0;
    for (key, answered) in (0..CALLS).zip(answered) {
        let left = direct.peek(&LIMIT, Key::new("once").by(key)).await.unwrap().remaining();
        let counted = LIMIT.count() - left;
        assert!(counted <= 1, "counted {counted} times");
        assert!(counted == 1 || !answered, "answered, and not counted");
        unheard += u32::from(counted == 1 && !answered);
    }
    assert!(unheard > CALLS / 50, "only {unheard} answers were lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_counts_each_call_once_at_most() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = limiter_at(proxy.url()).deadline(Duration::from_millis(100)).build().await.unwrap();
    let answered = call_each_once(&limiter, |traffic| proxy.set(traffic)).await;
    counted_once_at_most(&limiter_at(server.url()).build().await.unwrap(), &answered).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_counts_each_call_once_at_most() {
    let cluster = Cluster::behind_proxies(3);
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(100)).build().await.unwrap();
    let set = |traffic| cluster.ports().into_iter().for_each(|port| cluster.proxy(port).set(traffic));
    let answered = call_each_once(&limiter, set).await;
    counted_once_at_most(&limiter_at(cluster.url()).build().await.unwrap(), &answered).await;
}

/// One after another, so that each of them was sent: all are counted, and none of them twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_was_sent_is_counted_once() {
    const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = limiter_at(proxy.url()).build().await.unwrap();
    // The server knows the scripts.
    limiter.check(&DAILY, "sent").await.unwrap();
    proxy.set(Traffic::CutReplies);
    let calls = rounds(2000, CALLS);
    for _ in 0..calls {
        let error = undecided(limiter.check(&DAILY, "sent").await);
        assert!(error.to_string().starts_with("lost the connection"), "{error}");
    }
    let direct = limiter_at(server.url()).build().await.unwrap();
    let left = direct.peek(&DAILY, "sent").await.unwrap().remaining();
    assert_eq!(DAILY.count() - left, 1 + calls);
}
