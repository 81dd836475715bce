//! Runtimes that share a limiter: work that one runtime leaves unfinished does not delay the others.

use crate::harness::{
    Suspended, cluster_of_one, decision, limiter_on, limiter_on_slots, poll_once, runtime, undecided,
    wait_for,
};
use ratelimit::{ErrorKind, Key, Limit, OnError, RateLimiter, RateLimiterBuilder};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};
use support::{DAY, MINUTE, RedisServer, SECOND};

const DAILY: Limit = Limit::counter(1_000_000, DAY);
/// The lease of the permits. The tests hold permits for a longer time.
const LEASE: Duration = SECOND.saturating_mul(6);

/// A limiter whose calls fail soon if no runtime drives them.
fn strict(builder: RateLimiterBuilder) -> RateLimiterBuilder {
    builder.on_error(OnError::Deny).deadline(2 * SECOND)
}

/// Polls a call once, and drops it.
async fn start_and_drop<T>(call: impl Future<Output = T>) {
    let _ = poll_once(&mut pin!(call)).await;
}

/// Drops a call in a runtime that stays idle afterwards. The server does not reply during the call.
fn first_call_is_left_idle(limiter: RateLimiterBuilder, server: &RedisServer) {
    let (idle, other) = (runtime(), runtime());
    let limiter = strict(limiter).build().unwrap();
    let suspended = Suspended::new(server);
    idle.block_on(start_and_drop(limiter.check(&DAILY, "calls")));
    drop(suspended);
    for _ in 0..20 {
        other.block_on(limiter.check(&DAILY, "calls")).unwrap();
    }
    // The idle runtime itself can also continue.
    idle.block_on(limiter.check(&DAILY, "calls")).unwrap();
}

#[test]
fn an_attempt_to_connect_in_an_idle_runtime_delays_no_other() {
    let server = RedisServer::start();
    first_call_is_left_idle(limiter_on(&server), &server);
}

#[test]
fn loading_the_slots_in_an_idle_runtime_delays_no_other() {
    let server = cluster_of_one();
    first_call_is_left_idle(limiter_on_slots(&server), &server);
}

#[test]
fn close_returns_the_permit_of_a_task_that_ended_with_its_runtime() {
    const ONE: Limit = Limit::concurrency(1, MINUTE);
    let server = RedisServer::start();
    let (worker, main) = (runtime(), runtime());
    let limiter = main.block_on(strict(limiter_on(&server)).connect()).unwrap();
    let permit = worker.block_on(limiter.permit(&ONE, "exports")).unwrap();
    worker.spawn(async move {
        std::future::pending::<()>().await;
        drop(permit);
    });
    drop(worker);
    main.block_on(limiter.close());
    let other = main.block_on(strict(limiter_on(&server)).connect()).unwrap();
    assert!(main.block_on(other.permit(&ONE, "exports")).is_ok());
}

#[test]
fn permits_of_a_blocked_runtime_are_renewed_by_another() {
    const ONE: Limit = Limit::concurrency(1, LEASE);
    let server = RedisServer::start();
    let (first, second) = (runtime(), runtime());
    let limiter = first.block_on(strict(limiter_on(&server)).connect()).unwrap();
    let held = first.block_on(limiter.permit(&ONE, "exports")).unwrap();
    // The first runtime is no longer polled. A call in another runtime takes over.
    let other = second.block_on(strict(limiter_on(&server)).connect()).unwrap();
    let held_since = Instant::now();
    while held_since.elapsed() < LEASE + SECOND {
        second.block_on(async {
            limiter.check(&DAILY, "calls").await.unwrap();
            assert!(other.permit(&ONE, "exports").await.is_err(), "after {:?}", held_since.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        });
    }
    first.block_on(async { drop(held) });
    // The connection of the first runtime is no longer driven, but the permit is still returned.
    second.block_on(async {
        wait_for("the permit comes back", async || {
            limiter.check(&DAILY, "calls").await.unwrap();
            other.permit(&ONE, "exports").await.is_ok()
        })
        .await;
    });
}

/// Simulates a test suite with one limiter. Each test has its own runtime, which ends with the test.
#[test]
fn two_hundred_tests_share_one_limiter() {
    const FIVE: Limit = Limit::counter(5, MINUTE);
    let server = RedisServer::start();
    let set_up = runtime();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect();
    let limiter: RateLimiter = set_up.block_on(limiter).unwrap();
    drop(set_up);
    let one_test = |number: u32| {
        let limiter = limiter.clone();
        move || {
            runtime().block_on(async {
                let key = || Key::new("tests").by(number);
                let mut passed = 0;
                for _ in 0..20 {
                    passed += u32::from(decision(limiter.check(&FIVE, key()).await).is_allowed());
                    tokio::task::yield_now().await;
                }
                let permit = limiter.permit(&Limit::concurrency(1, MINUTE), key()).await.unwrap();
                assert!(limiter.permit(&Limit::concurrency(1, MINUTE), key()).await.is_err());
                drop(permit);
                passed
            })
        }
    };
    let tests: Vec<_> = (0..200).map(|number| thread::spawn(one_test(number))).collect();
    for test in tests {
        assert_eq!(test.join().unwrap(), 5);
    }
}

#[test]
fn a_call_outside_of_a_runtime_is_an_error_and_no_panic() {
    let server = RedisServer::start();
    let limiter = runtime().block_on(limiter_on(&server).on_error(OnError::Allow).connect()).unwrap();
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(outcome) = pin!(limiter.check(&DAILY, "calls")).poll(&mut context) else {
        panic!("the call waits without a runtime");
    };
    let error = undecided(outcome);
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    let building = RateLimiter::builder().redis(server.url()).connect();
    let Poll::Ready(Err(error)) = pin!(building).poll(&mut context) else {
        panic!("a limiter was built without a runtime");
    };
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
}
