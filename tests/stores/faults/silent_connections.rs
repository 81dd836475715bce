//! Connections that a firewall has forgotten, or that the server has closed while the runtime did not run. The library finds out
//! before calls are lost.

use super::unreliable_server::DEADLINE;
use crate::harness::{HUGE, failure, limiter_at, runtime, soon, wait_for};
use ratelimit::RateLimiter;
use redis::Value;
use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;
use support::{MS, Proxy, RedisServer, Traffic};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

/// A pause after which a connection counts as idle.
const IDLE: Duration = Duration::from_millis(700);

async fn passes(limiter: &RateLimiter) -> bool {
    soon(limiter.check(&HUGE, "calls")).await.is_ok()
}

/// A function service is frozen between its calls, so no background task looks after the connection.
#[test]
fn a_frozen_runtime_loses_no_call_on_a_forgotten_connection() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let runtime = runtime();
    let limiter = runtime.block_on(limiter_at(proxy.url()).connect()).unwrap();
    for round in 1..=3 {
        assert!(runtime.block_on(passes(&limiter)));
        let before = proxy.accepted().len();
        proxy.set(Traffic::Forget);
        thread::sleep(IDLE);
        assert!(runtime.block_on(passes(&limiter)), "round {round}");
        assert!(proxy.accepted().len() > before, "the connection was not forgotten");
    }
}

/// The request for overrides finds a dead connection although no call is made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_service_replaces_a_forgotten_connection_by_itself() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = limiter_at(proxy.url()).deadline(DEADLINE).connect().await.unwrap();
    wait_for("a call passes", async || passes(&limiter).await).await;
    let before = proxy.accepted().len();
    proxy.set(Traffic::Forget);
    wait_for("there is a new connection", async || proxy.accepted().len() > before).await;
    wait_for("a call passes", async || passes(&limiter).await).await;
}

/// Nobody can know that the connection was forgotten just before the call. The next calls are not lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_on_a_forgotten_connection_warns_the_next_ones() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = limiter_at(proxy.url()).deadline(DEADLINE).connect().await.unwrap();
    wait_for("a call passes", async || passes(&limiter).await).await;
    let before = proxy.accepted().len();
    proxy.set(Traffic::Forget);
    assert!(!passes(&limiter).await);
    wait_for("there is a new connection", async || proxy.accepted().len() > before).await;
    wait_for("a call passes", async || passes(&limiter).await).await;
}

/// Lets the server close all connections. It closes their sockets only after its reply to the command.
fn close_connections(server: &RedisServer) {
    let mut raw = server.raw();
    let own: u64 = redis::cmd("CLIENT").arg("ID").query(&mut raw).unwrap();
    let mut send = |words: &[&str]| -> Value { redis::cmd("CLIENT").arg(words).query(&mut raw).unwrap() };
    let ids = |list: Value| -> HashSet<u64> {
        let list: String = redis::from_redis_value(list).unwrap();
        let ids = list.lines().map(|line| line["id=".len()..].split_once(' ').unwrap().0.parse().unwrap());
        ids.filter(|id| *id != own).collect()
    };
    let open = ids(send(&["LIST"]));
    send(&["KILL", "TYPE", "normal", "SKIPME", "yes"]);
    while !ids(send(&["LIST"])).is_disjoint(&open) {
        thread::yield_now();
    }
    // A write soon after a reply does not look whether the server has closed the connection.
    thread::sleep(2 * MS);
}

/// The bytes of such a call have not left the process, so it is sent again.
#[test]
fn calls_after_the_server_has_closed_the_connection_are_sent_again() {
    let server = RedisServer::start();
    for runtime in [runtime(), Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()] {
        let limiter = runtime.block_on(limiter_at(server.url()).connect()).unwrap();
        for calls in [1, 1, 8] {
            assert!(runtime.block_on(passes(&limiter)));
            close_connections(&server);
            let passed = runtime.block_on(async {
                let calls = (0..calls).map(|_| {
                    let limiter = limiter.clone();
                    async move { soon(limiter.check(&HUGE, "calls")).await.map(drop) }
                });
                calls.collect::<JoinSet<_>>().join_all().await
            });
            assert!(passed.iter().all(Result::is_ok), "{passed:?}");
        }
    }
}

#[test]
fn a_call_may_miss_its_deadline_outside_of_its_runtime() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let limiter = runtime.block_on(limiter_at(proxy.url()).deadline(DEADLINE).connect()).unwrap();
    runtime.block_on(wait_for("a call passes", async || passes(&limiter).await));
    proxy.set(Traffic::Forget);
    for _ in 0..8 {
        let (mut call, mut context) =
            (pin!(limiter.check(&HUGE, "calls")), Context::from_waker(Waker::noop()));
        let entered = runtime.enter();
        if call.as_mut().poll(&mut context).is_ready() {
            continue;
        }
        drop(entered);
        thread::sleep(2 * DEADLINE);
        let _ = call.as_mut().poll(&mut context).map(failure);
    }
}
