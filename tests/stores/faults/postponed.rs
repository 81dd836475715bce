//! Pauses, refunds and settlements that a server cannot store: they are stored when it works again, each once.

use super::unreliable_server::{DEADLINE, UnreliableServer};
use crate::harness::{OnlyDecides, PATIENCE, Refusing, limiter_at, soon, wait_for};
use ratelimit::{Limit, OnError, RateLimiter, RedisStore, Rejection, rate_limit};
use std::time::Duration;
use support::{HOUR, RedisServer, Traffic};

/// A fault, which begins while the partner's answer is on its way.
type Begins<'f> = &'f (dyn Fn() -> bool + Sync);

#[rate_limit(
    key = "partner", time = "1s", count = 1000, algorithm = "token_bucket", limiter = limiter,
    pause_if = |answer| answer.as_ref().ok().copied().flatten()
)]
async fn ask(
    limiter: &RateLimiter,
    later: Option<Duration>,
    fault: Begins<'_>,
) -> Result<Option<Duration>, Rejection> {
    let _ = fault();
    Ok(later)
}

#[rate_limit(
    key = "jobs", time = "1h", count = 10, cost = 4, limiter = limiter,
    settle = |cost| *cost.as_ref().unwrap_or(&4)
)]
async fn job(limiter: &RateLimiter, cost: u32, fault: Begins<'_>) -> Result<u32, Rejection> {
    let _ = fault();
    Ok(cost)
}

const JOBS: Limit = Limit::counter(10, HOUR);

fn limiter_on(server: &RedisServer, policy: OnError) -> RateLimiter {
    let store = OnlyDecides(RedisStore::new(&server.url()).unwrap());
    let limiter = RateLimiter::builder().store(store).deny_cache(false).deadline(PATIENCE).on_error(policy);
    limiter.build().unwrap()
}

/// Waits until calls of both processes are refused because of the pause.
async fn both_pause(one: &RateLimiter, other: &RateLimiter) {
    for limiter in [one, other] {
        wait_for("the limit is paused", async || {
            ask(limiter, None, &|| false).await.is_err_and(|refused| refused.retry_after() > Some(HOUR / 2))
        })
        .await;
    }
}

#[tokio::test]
async fn a_pause_that_a_server_refuses_to_write_is_stored_later() {
    for fault in Refusing::ALL {
        let server = RedisServer::start();
        let [one, other] = [OnError::Local, OnError::Deny].map(|policy| limiter_on(&server, policy));
        ask(&one, None, &|| false).await.unwrap();
        ask(&other, None, &|| false).await.unwrap();
        ask(&one, Some(HOUR), &|| fault.begin(&server)).await.unwrap();
        // The process that knows of the pause obeys it while it decides by itself.
        assert!(ask(&one, None, &|| false).await.is_err(), "{fault:?}");
        fault.end(&server);
        both_pause(&one, &other).await;
    }
}

#[tokio::test]
async fn a_pause_without_a_server_is_stored_when_the_server_is_back() {
    for policy in [OnError::Local, OnError::Allow] {
        let mut server = RedisServer::start();
        let (one, other) = (limiter_on(&server, policy), limiter_on(&server, OnError::Deny));
        ask(&one, None, &|| false).await.unwrap();
        server.kill();
        // The failure policy lets this call run.
        ask(&one, Some(HOUR), &|| false).await.unwrap();
        assert_eq!(ask(&one, None, &|| false).await.is_err(), policy == OnError::Local, "{policy:?}");
        server.restart();
        both_pause(&one, &other).await;
    }
}

#[tokio::test]
async fn refunds_and_settlements_that_a_server_refuses_to_write_are_made_once() {
    let server = RedisServer::start();
    for fault in Refusing::ALL {
        let limiter = limiter_on(&server, OnError::Deny);
        let left = async || limiter.peek(&JOBS, "jobs").await.map_or(0, |decision| decision.remaining());
        for (cost, expected) in [(0, 8), (1, 7), (7, 1)] {
            limiter.reset(&JOBS, "jobs").await.unwrap();
            let first = limiter.charge(&JOBS, "jobs", 2).await.unwrap();
            job(&limiter, cost, &|| fault.begin(&server)).await.unwrap();
            fault.end(&server);
            wait_for("the change is made", async || left().await == expected).await;
            // The same with a method, whose error says that the change is not made yet.
            let refused = fault.begin(&server);
            assert_eq!(first.refund().await.is_err(), refused, "{fault:?}");
            fault.end(&server);
            wait_for("the units are back", async || left().await == expected + 2).await;
            limiter.close().await;
            assert_eq!(left().await, expected + 2, "{fault:?} {cost}");
        }
    }
}

/// The server may have executed a refund whose reply is lost. If it was sent again, the units would come back twice.
#[tokio::test]
async fn a_refund_whose_reply_is_lost_is_not_sent_again() {
    let server = UnreliableServer::start();
    let limiter = server.limiter(OnError::Deny).await;
    let [_kept, refunded] =
        [limiter.charge(&JOBS, "jobs", 4).await.unwrap(), limiter.charge(&JOBS, "jobs", 4).await.unwrap()];
    server.proxy.set(Traffic::LoseReplies);
    assert!(refunded.refund().await.is_err());
    server.proxy.set(Traffic::Pass);
    tokio::time::sleep(3 * DEADLINE).await;
    soon(limiter.close()).await;
    let other = limiter_at(server.server.url()).connect().await.unwrap();
    assert_eq!(other.peek(&JOBS, "jobs").await.unwrap().remaining(), 6);
}
