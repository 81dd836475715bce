//! Servers that answer, but too late for anybody: nobody waits for them for long, and they are found again.

use crate::inspect::script_calls;
use crate::setup::{Ask, SECOND, Stopped, ask, failure, undecided};
use ratelimit::store::Mode;
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter, RateLimiterBuilder, RedisStore};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use support::{Proxy, RedisServer, Traffic};

const MS: Duration = Duration::from_millis(1);
const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
const LATE: Traffic = Traffic::DelayReplies(Duration::from_millis(300));

/// So many in a row have to wait in vain.
const MANY: usize = 5;

fn on(store: &RedisStore, deadline: Duration) -> RateLimiterBuilder {
    RateLimiter::builder().store(store.clone()).on_error(OnError::Deny).deadline(deadline)
}

async fn kind(limiter: &RateLimiter) -> Option<ErrorKind> {
    failure(limiter.check(&DAILY, "calls").await)
}

/// One fetch of units is waited for by many calls. Each deadline that is missed counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_costs_a_leased_limit_as_many_deadlines_as_any() {
    let leased = DAILY.lease(1000);
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let limiter = on(&store, 100 * MS).build().await.unwrap();
    for _ in 0..100 {
        limiter.check(&leased, "leased").await.unwrap();
    }
    let stopped = Stopped::stop(&server);
    let mut missed = 0;
    for _ in 0..1000 {
        match failure(limiter.check(&leased, "leased").await) {
            None => {}
            Some(ErrorKind::Timeout) => missed += 1,
            Some(_) => break,
        }
    }
    assert!((1..=MANY).contains(&missed), "{missed} deadlines");
    drop(stopped);
    back(&limiter).await;
}

/// Calls until one is decided.
async fn back(limiter: &RateLimiter) {
    let back = async {
        while kind(limiter).await.is_some() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SECOND * 20, back).await.expect("the limiter has not found its server again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_too_slow_for_all_is_not_waited_for() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let store = RedisStore::new(&proxy.url()).unwrap();
    let (patient, limiter) = (on(&store, SECOND * 20), on(&store, 50 * MS));
    let (patient, limiter) = (patient.build().await.unwrap(), limiter.build().await.unwrap());
    assert_eq!(kind(&patient).await, None);
    proxy.set(LATE);
    let mut missed = 0;
    loop {
        match kind(&limiter).await {
            Some(ErrorKind::Timeout) if missed < MANY => missed += 1,
            Some(_) => break,
            // A machine that stands still for so long knows no time.
            None => missed = 0,
        }
    }
    assert_eq!((missed, kind(&limiter).await), (MANY, Some(ErrorKind::Unavailable)));
    let asked = script_calls(&server);
    for _ in 0..1000 {
        assert_eq!(kind(&limiter).await, Some(ErrorKind::Unavailable), "waits for an answer");
    }
    assert_eq!(script_calls(&server), asked, "what nobody waits for is asked");
    let error = undecided(limiter.check(&DAILY, "calls").await).to_string();
    assert!(error.contains("did not reply within 50 ms"), "{error}");
    // A server that is slow is not silent: its connection stays.
    tokio::time::sleep(SECOND).await;
    proxy.set(Traffic::Pass);
    back(&limiter).await;
    assert_eq!((kind(&patient).await, proxy.accepted().len()), (None, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_slow_serves_whoever_has_time() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let limiter = on(&RedisStore::new(&proxy.url()).unwrap(), SECOND * 20).build().await.unwrap();
    proxy.set(LATE);
    for _ in 0..3 {
        assert_eq!(kind(&limiter).await, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_leave_say_nothing_of_the_server() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let store = RedisStore::new(&proxy.url()).unwrap();
    let call = || async { ask(&store, Mode::Check, &[Ask::new(0, DAILY, 1)]).await.unwrap()[0].allowed() };
    assert!(call().await);
    proxy.set(Traffic::DelayReplies(20 * MS));
    let leave = async || {
        let mut call = pin!(call());
        poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_ready())).await
    };
    for _ in 0..2 * MANY {
        assert!(!leave().await);
    }
    // After a long silence, in which nothing was asked.
    tokio::time::sleep(600 * MS).await;
    assert!(!leave().await);
    assert!(call().await);
    assert_eq!(proxy.accepted().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_in_time_counts_for_a_server() {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    let store = RedisStore::new(&proxy.url()).unwrap();
    let (patient, hasty) = (on(&store, SECOND * 20), on(&store, 10 * MS));
    let (patient, hasty) = (patient.build().await.unwrap(), hasty.build().await.unwrap());
    assert_eq!(kind(&patient).await, None);
    proxy.set(Traffic::DelayReplies(100 * MS));
    for _ in 0..3 {
        for _ in 1..MANY {
            assert_ne!(kind(&hasty).await, Some(ErrorKind::Unavailable));
        }
        assert_eq!(kind(&patient).await, None);
    }
}
