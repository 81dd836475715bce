//! Servers that stop and start again while limiters call them.

use crate::harness::{HUGE, call_from_tasks, limiter_on, undecided, used, wait_for, wait_until_reachable};
use ratelimit::{ErrorKind, Limit, OnError};
use support::{MINUTE, RedisServer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_with_data_loses_no_count() {
    let mut server = RedisServer::builder().persistent().start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    for round in 1..=5 {
        call_from_tasks(&limiter, 8, 50).await;
        assert_eq!(used(&limiter).await, round * 400);
        server.restart();
        // The limiter may have tried to connect during a slow restart. In this case it waits before the next attempt.
        wait_until_reachable(&limiter).await;
    }
    call_from_tasks(&limiter, 8, 50).await;
    assert_eq!(used(&limiter).await, 6 * 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_failure_policy_decides_while_a_server_is_down() {
    let mut server = RedisServer::start();
    let limit = Limit::counter(2, MINUTE);
    let connect = |on_error| limiter_on(&server).on_error(on_error).connect();
    let (deny, allow, local) =
        (connect(OnError::Deny).await, connect(OnError::Allow).await, connect(OnError::Local).await);
    let (deny, allow, local) = (deny.unwrap(), allow.unwrap(), local.unwrap());
    local.check(&limit, "policy").await.unwrap();
    server.stop();

    let error = undecided(deny.check(&limit, "policy").await);
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains(&server.port().to_string()), "{error}");
    for _ in 0..5 {
        allow.check(&limit, "policy").await.unwrap();
    }
    let mut admitted = Vec::new();
    for _ in 0..3 {
        admitted.push(local.check(&limit, "policy").await.is_ok());
    }
    assert_eq!(admitted, [true, true, false], "the same limit, in memory");
    assert!(local.peek(&limit, "policy").await.is_err(), "a peek reports the server's state only");

    server.restart();
    wait_until_reachable(&deny).await;
    wait_until_reachable(&local).await;
    let mut admitted = Vec::new();
    for _ in 0..3 {
        admitted.push(local.check(&limit, "policy").await.is_ok());
    }
    assert_eq!(admitted, [true, true, false], "the server has lost its data, and decides again");
    assert_eq!(
        deny.peek(&limit, "policy").await.unwrap().remaining(),
        0,
        "the server has counted these calls"
    );
    assert!(deny.check(&limit, "policy").await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_found_again_although_nobody_calls() {
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    server.stop();
    // The first call may still be sent on the connection that breaks. The client tries again by itself only after a failed
    // attempt to connect, so this waits for such an attempt.
    wait_for("a call tries to connect", async || {
        let error = undecided(limiter.check(&HUGE, "calls").await);
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        error.to_string().contains("cannot connect")
    })
    .await;
    server.restart();
    let mut raw = server.raw();
    let mut clients = || -> usize {
        let list: String = redis::cmd("CLIENT").arg("LIST").query(&mut raw).unwrap();
        list.lines().count()
    };
    wait_for("the limiter connects by itself", async || clients() > 1).await;
    wait_until_reachable(&limiter).await;
}
