//! Permits that a holder loses while it runs. The holder is told, and each lost permit is logged once.

use crate::harness::{Suspended, limiter_on, runtime, soon, wait_for};
use ratelimit::{Limit, OnError, Permit, RateLimiter, Rejection};
use std::future::pending;
use support::{HOUR, RedisServer, SECOND, take_events};

const JOB: Limit = Limit::concurrency(1, SECOND);

async fn limiter(server: &RedisServer) -> RateLimiter {
    limiter_on(server).on_error(OnError::Deny).connect().await.unwrap()
}

async fn take_soon(limiter: &RateLimiter) -> Permit {
    let mut permit = None;
    wait_for("the permit is free", async || {
        permit = limiter.permit(&JOB, "jobs").await.ok();
        permit.is_some()
    })
    .await;
    permit.unwrap()
}

/// The log lines about lost permits of this thread, since the last call.
fn log_lines() -> Vec<String> {
    let events = take_events().into_iter().filter(|event| event.target == "ratelimit::permits");
    events.map(|event| event.to_string()).collect()
}

fn assert_logged_once() {
    let lines = log_lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("WARN") && lines[0].contains("limit=jobs permits=1"), "{lines:?}");
}

#[tokio::test]
async fn a_holder_is_told_that_the_server_has_forgotten_its_permit() {
    let server = RedisServer::start();
    let holder = limiter(&server).await;
    for forget in ["FLUSHALL", "reset"] {
        log_lines();
        let permit = take_soon(&holder).await;
        assert!(!permit.is_lost());
        if forget == "reset" {
            assert!(limiter(&server).await.reset(&JOB, "jobs").await.unwrap());
        } else {
            redis::cmd(forget).exec(&mut server.raw()).unwrap();
        }
        soon(permit.lost()).await;
        assert!(permit.is_lost(), "{forget}");
        let _theirs = take_soon(&limiter(&server).await).await;
        soon(permit.lost()).await;
        drop(permit);
        assert_logged_once();
    }
}

#[tokio::test]
async fn a_job_that_asks_stops_when_its_permit_is_lost() {
    let server = RedisServer::start();
    let limiter = limiter(&server).await;
    let job = async |permit: Permit| {
        tokio::select! {
            () = pending() => "done",
            () = permit.lost() => "lost",
        }
    };
    let permit = take_soon(&limiter).await;
    redis::cmd("FLUSHALL").exec(&mut server.raw()).unwrap();
    assert_eq!(soon(job(permit)).await, "lost");
    // The permit is held for longer than its lease.
    let permit = take_soon(&limiter).await;
    assert!(tokio::time::timeout(SECOND * 3 / 2, permit.lost()).await.is_err());
    assert!(!permit.is_lost());
}

/// The runtime of the holder stands still, as if the process was stopped.
#[test]
fn a_holder_that_was_stopped_for_longer_than_its_lease_is_told() {
    let (server, stopped, runs) = (RedisServer::start(), runtime(), runtime());
    let (holder, permit) = stopped.block_on(async {
        let holder = limiter(&server).await;
        let permit = take_soon(&holder).await;
        (holder, permit)
    });
    log_lines();
    let theirs = runs.block_on(async { take_soon(&limiter(&server).await).await });
    assert!(permit.is_lost(), "its lease has ended");
    stopped.block_on(soon(permit.lost()));
    assert!(permit.is_lost());
    stopped.block_on(async {
        drop(permit);
        holder.close().await;
    });
    assert_logged_once();
    assert!(!theirs.is_lost());
}

#[tokio::test]
async fn a_lease_that_ends_without_a_confirmed_renewal_is_lost() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).deadline(SECOND / 10).on_error(OnError::Deny).connect().await.unwrap();
    let [asks, does_not_ask] = ["asks", "does not ask"];
    for key in [asks, does_not_ask] {
        let mut permit = None;
        wait_for("the permit is taken", async || {
            permit = limiter.permit(&JOB, key).await.ok();
            permit.is_some()
        })
        .await;
        let permit = permit.unwrap();
        log_lines();
        let suspended = Suspended::new(&server);
        if key == asks {
            soon(permit.lost()).await;
        }
        wait_for("the loss is logged", async || !log_lines().is_empty()).await;
        drop(suspended);
        assert!(permit.is_lost(), "it stays lost");
        drop(permit);
        assert_eq!(log_lines(), [""; 0]);
    }
}

#[tokio::test]
async fn a_closed_limiter_has_returned_the_permit_which_is_not_logged() {
    let limiter = RateLimiter::in_memory();
    let permit = limiter.permit(&JOB, "jobs").await.unwrap();
    log_lines();
    limiter.close().await;
    permit.lost().await;
    assert!(permit.is_lost());
    drop(permit);
    assert_eq!(log_lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_no_store_has_given_is_not_lost() {
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Allow).build().unwrap();
    server.stop();
    let permit = limiter.permit(&JOB, "jobs").await.unwrap();
    assert!(tokio::time::timeout(HOUR, permit.lost()).await.is_err());
    assert!(!permit.is_lost());
}

/// The reply to the renewal is there, but the runtime was busy when the lease would have ended without it.
#[tokio::test(start_paused = true)]
async fn a_holder_whose_runtime_was_busy_waits_for_the_renewal() -> Result<(), Rejection> {
    let limiter = RateLimiter::in_memory();
    let permit = limiter.permit(&JOB, "jobs").await?;
    log_lines();
    // Each step ends the lease and wakes the holder before the task that renews the permit.
    let steps = async {
        for _ in 0..3 {
            tokio::time::advance(SECOND * 5).await;
            tokio::time::sleep(SECOND / 10).await;
        }
    };
    let lost = async { tokio::join!(permit.lost(), steps) };
    assert!(tokio::time::timeout(HOUR, lost).await.is_err());
    assert!(!permit.is_lost());
    assert_eq!(log_lines(), [""; 0]);
    Ok(())
}
