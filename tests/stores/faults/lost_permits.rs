//! Permits of calls that received no reply. No call holds them, and they are free again soon after the server has recovered.

use super::unreliable_server::{DEADLINE, FAULTS, Fault, UnreliableServer};
use crate::harness::{
    Suspended, assert_recovered_within, is_soak, limiter_at, limiter_on, runtime, time_until_decided,
    wait_for,
};
use ratelimit::{Limit, OnError, Permit, RateLimiter};
use std::time::{Duration, Instant};
use support::{Cluster, HOUR, MS, RedisServer, SECOND, Traffic};

/// The permits have leases that do not end while a test runs.
const PERMITS: Limit = Limit::concurrency(36, HOUR);
const KEY: &str = "exports";

/// The length of a fault. It is longer than the time after which the client closes a silent connection.
fn hiccup() -> Duration {
    if is_soak() { 5 * SECOND } else { 700 * MS }
}

/// Makes 80 concurrent calls of 1 to 3 permits each. Calls that receive permits return them.
async fn call_at_once(limiter: &RateLimiter, limit: &Limit) {
    let calls = (0..80).map(|n| {
        let (limiter, limit) = (limiter.clone(), *limit);
        tokio::spawn(async move { drop(limiter.permit_cost(&limit, KEY, 1 + n % 3).await) })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

/// Takes permits. Tries again if a busy machine misses the deadline.
async fn take(limiter: &RateLimiter, limit: &Limit, key: &str, cost: u32) -> Permit {
    loop {
        if let Ok(permit) = limiter.permit_cost(limit, key, cost).await {
            return permit;
        }
    }
}

/// Waits until all permits are free. `ended` is the time at which the fault ended.
async fn assert_all_are_free(limiter: &RateLimiter, limit: &Limit, ended: Instant) {
    wait_for("all permits are free", async || {
        limiter.peek(limit, KEY).await.is_ok_and(|decision| decision.remaining() == limit.count())
    })
    .await;
    assert_recovered_within(SECOND, ended.elapsed());
}

/// A server without enough replicas runs scripts, but refuses their writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_return_that_a_server_refuses_to_write_is_repeated() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let require = |replicas: &str| {
        let set = redis::cmd("CONFIG").arg("SET").arg("min-replicas-to-write").arg(replicas).clone();
        set.exec(&mut server.raw()).unwrap();
    };
    let held = take(&limiter, &PERMITS, KEY, 6).await;
    require("1");
    drop(held);
    let has_refused = || {
        let errors: String = redis::cmd("INFO").arg("errorstats").query(&mut server.raw()).unwrap();
        errors.contains("errorstat_NOREPLICAS")
    };
    wait_for("the server has refused the return", async || has_refused()).await;
    require("0");
    assert_all_are_free(&limiter, &PERMITS, Instant::now()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_are_free_soon_after_any_fault() {
    // If the reply to a waiting call is lost, the ticket of the call stays in the server. Therefore the faults that lose only
    // replies (in the soak, all faults) also run with a limit whose calls wait.
    let reached = FAULTS.into_iter().filter(|fault| {
        is_soak() || matches!(fault, Fault::Network(Traffic::LoseReplies | Traffic::CutReplies))
    });
    let waiting = reached.map(|fault| (PERMITS.wait(10 * SECOND), fault));
    for (limit, fault) in FAULTS.into_iter().map(|fault| (PERMITS, fault)).chain(waiting) {
        let mut server = UnreliableServer::start();
        let limiter = server.limiter(OnError::Deny).await;
        let other = limiter_on(&server.server).connect().await.unwrap();
        let held = take(&limiter, &limit, KEY, 6).await;
        server.begin(fault);
        call_at_once(&limiter, &limit).await;
        drop(held);
        tokio::time::sleep(hiccup()).await;
        server.end();
        println!("{fault:?}");
        assert_all_are_free(&other, &limit, Instant::now()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_are_free_soon_after_a_short_pause_under_each_policy() {
    for policy in [OnError::Local, OnError::Allow, OnError::Deny] {
        let server = RedisServer::start();
        let limiter = limiter_at(server.url()).deadline(DEADLINE).on_error(policy).connect().await.unwrap();
        drop(take(&limiter, &PERMITS, KEY, 1).await);
        redis::cmd("CLIENT").arg("PAUSE").arg(200).arg("ALL").exec(&mut server.raw()).unwrap();
        call_at_once(&limiter, &PERMITS).await;
        let other = limiter_on(&server).connect().await.unwrap();
        assert_all_are_free(&other, &PERMITS, Instant::now()).await;
    }
}

/// The runtime of the calls has ended, so a call in another runtime returns their permits.
#[test]
fn permits_that_were_lost_in_a_runtime_are_returned_by_another_one() {
    let (server, lost, other) = (UnreliableServer::start(), runtime(), runtime());
    let limiter = lost.block_on(async {
        let limiter = server.limiter(OnError::Deny).await;
        server.proxy.set(Traffic::LoseReplies);
        call_at_once(&limiter, &PERMITS).await;
        limiter
    });
    drop(lost);
    server.proxy.set(Traffic::Pass);
    other.block_on(async { assert_all_are_free(&limiter, &PERMITS, Instant::now()).await });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_are_free_soon_after_a_node_of_a_cluster_was_silent() {
    let cluster = Cluster::start(3).with_failover();
    let limiter = limiter_at(cluster.url()).deadline(DEADLINE).connect().await.unwrap();
    let other = limiter_at(cluster.url()).connect().await.unwrap();
    time_until_decided(&limiter, KEY).await;
    let node = cluster.primary_of(cluster.slot_of(KEY));
    let elsewhere =
        (0..1000).map(|n| format!("k{n}")).find(|key| cluster.primary_of(cluster.slot_of(key)) != node);
    let (short, elsewhere) = (Limit::concurrency(1, 3 * SECOND), elsewhere.unwrap());
    let held = [take(&limiter, &short, &elsewhere, 1).await, take(&limiter, &PERMITS, KEY, 1).await];
    let suspended = Suspended::new(cluster.server(node));
    call_at_once(&limiter, &PERMITS).await;
    // The silent node must not prevent this process from renewing a permit on another node.
    let silent = Instant::now();
    while silent.elapsed() < hiccup().max(4 * SECOND) {
        assert!(other.permit(&short, &*elsewhere).await.is_err(), "taken from its holder");
        tokio::time::sleep(20 * MS).await;
    }
    drop((held, suspended));
    assert_all_are_free(&other, &PERMITS, Instant::now()).await;
}
