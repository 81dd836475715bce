//! Calls outside of a tokio runtime, and in a runtime without timers or I/O. A call that would have to wait, for a turn, a
//! permit or Redis, returns an error instead. No call panics.

use crate::harness::{decision, limiter_on, undecided};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use support::{MINUTE, RedisServer, SECOND};
use tokio::runtime::{Builder, Runtime};

fn without_drivers() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn assert_says_what_to_enable(error: &ratelimit::Error) {
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("build the runtime with `enable_all`"), "{error}");
}

#[test]
fn a_call_in_memory_that_would_wait_is_an_error_and_others_are_decided() {
    without_drivers().block_on(async {
        let limiter = RateLimiter::in_memory();
        let (turns, permits) =
            (Limit::counter(1, MINUTE).wait(MINUTE), Limit::concurrency(1, MINUTE).wait(MINUTE));
        limiter.acquire(&turns, "turns").await.unwrap();
        for _ in 0..2 {
            assert_says_what_to_enable(&undecided(limiter.acquire(&turns, "turns").await));
        }
        assert_eq!(
            limiter.peek(&turns, "turns").await.unwrap().remaining(),
            0,
            "the failed turns are returned"
        );
        let held = limiter.permit(&permits, "permits").await.unwrap();
        assert_says_what_to_enable(&undecided(limiter.permit(&permits, "permits").await));
        drop(held);
        drop(limiter.permit(&permits, "permits").await.unwrap());
        assert!(decision(limiter.check(&Limit::counter(1, MINUTE), "plain").await).is_allowed());
        limiter.close().await;
    });
}

#[test]
fn a_call_that_asks_redis_is_an_error() {
    let server = RedisServer::start();
    without_drivers().block_on(async {
        for on_error in [OnError::Local, OnError::Allow, OnError::Deny] {
            let limiter = limiter_on(&server).on_error(on_error).build().unwrap();
            for limit in [
                Limit::counter(5, MINUTE),
                Limit::counter(5, MINUTE).wait(SECOND),
                Limit::counter(50, MINUTE).lease(5),
            ] {
                assert_says_what_to_enable(&undecided(limiter.acquire(&limit, "calls").await));
            }
            assert_says_what_to_enable(&limiter.peek(&Limit::counter(5, MINUTE), "calls").await.unwrap_err());
            assert_says_what_to_enable(limiter.status().await.error().unwrap());
            limiter.close().await;
        }
        assert_says_what_to_enable(&limiter_on(&server).connect().await.unwrap_err());
    });
}

#[test]
fn close_needs_no_runtime_if_nothing_is_to_be_returned() {
    let limiter = RateLimiter::in_memory();
    let permit = without_drivers().block_on(limiter.permit(&Limit::concurrency(1, MINUTE), "permits"));
    let closed = pin!(limiter.close()).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(closed, Poll::Ready(()));
    drop(permit);
}
