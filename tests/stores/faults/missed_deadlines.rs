//! Servers that reply too late or never. After five missed deadlines in a row, calls no longer wait for the server.

use super::unreliable_server::{Fault, LATE, MISSED_BEFORE_OUTAGE, SHORT, UnreliableServer};
use crate::harness::{
    HUGE, PATIENCE, Suspended, TestRequest, call_from_tasks, decide, failure, limiter_at, poll_once,
    script_calls, soon, undecided, wait_for, wait_until_reachable,
};
use ratelimit::store::Mode;
use ratelimit::{ErrorKind, OnError, RateLimiter, RedisStore};
use std::net::TcpListener;
use std::pin::pin;
use std::time::Duration;
use support::{MS, RedisServer, SECOND, Traffic};

/// A limiter on a store that several limiters share.
async fn limiter(store: &RedisStore, deadline: Duration) -> RateLimiter {
    let limiter = RateLimiter::builder().store(store.clone()).on_error(OnError::Deny).deadline(deadline);
    limiter.connect().await.unwrap()
}

async fn check(limiter: &RateLimiter) -> Option<ErrorKind> {
    failure(limiter.check(&HUGE, "calls").await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_never_replies_costs_one_deadline() {
    // The socket accepts connections, but no task reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let limiter = limiter_at(format!("redis://{}", silent.local_addr().unwrap()));
    let limiter = limiter.deadline(30 * MS).build().unwrap();
    assert_eq!(check(&limiter).await, Some(ErrorKind::Timeout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_do_not_wait_after_five_missed_deadlines() {
    for fault in [Fault::Suspended, Fault::Network(LATE)] {
        let mut server = UnreliableServer::start();
        let store = RedisStore::new(&server.proxy.url()).unwrap();
        let (patient, hasty) = (limiter(&store, PATIENCE).await, limiter(&store, SHORT).await);
        assert_eq!(check(&patient).await, None);
        server.begin(fault);
        let mut missed = 0;
        loop {
            match check(&hasty).await {
                Some(ErrorKind::Timeout) if missed < MISSED_BEFORE_OUTAGE => missed += 1,
                Some(_) => break,
                // If the machine stalls, a late reply can arrive before the client notices that the deadline has passed.
                None => missed = 0,
            }
        }
        assert_eq!((missed, check(&hasty).await), (MISSED_BEFORE_OUTAGE, Some(ErrorKind::Unavailable)));
        let is_slow = matches!(fault, Fault::Network(_));
        // A suspended server cannot report its script calls.
        let sent = |server: &UnreliableServer| is_slow.then(|| script_calls(&server.server));
        let before = sent(&server);
        for _ in 0..1000 {
            let error = undecided(hasty.check(&HUGE, "calls").await);
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{fault:?}: a call waits: {error}");
        }
        assert_eq!(sent(&server), before, "a call that does not wait was sent");
        if is_slow {
            let error = undecided(hasty.check(&HUGE, "calls").await).to_string();
            assert!(error.contains("50 ms"), "{error}");
            // The slow server still replies, so its connection must survive a second of missed deadlines.
            tokio::time::sleep(SECOND).await;
        }
        server.end();
        wait_until_reachable(&hasty).await;
        assert_eq!(check(&patient).await, None);
        assert!(!is_slow || server.proxy.accepted().len() == 1, "the slow server's connection was replaced");
    }
}

/// Several calls may wait for the same fetch of leased units. Each of these calls that misses its deadline counts as one missed
/// deadline, so calls fail at once after five of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leased_limit_misses_no_more_deadlines_than_others() {
    let leased = HUGE.lease(1000);
    let server = RedisServer::start();
    let limiter = limiter(&RedisStore::new(&server.url()).unwrap(), 100 * MS).await;
    for _ in 0..100 {
        wait_for("units are leased", async || limiter.check(&leased, "leased").await.is_ok()).await;
    }
    let suspended = Suspended::new(&server);
    let mut missed = 0;
    for _ in 0..1000 {
        match failure(limiter.check(&leased, "leased").await) {
            None => {}
            Some(ErrorKind::Timeout) => missed += 1,
            Some(_) => break,
        }
    }
    assert!((1..=MISSED_BEFORE_OUTAGE).contains(&missed), "{missed} deadlines");
    drop(suspended);
    wait_until_reachable(&limiter).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_with_a_long_deadline_fails_when_the_connection_is_given_up() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let (patient, hasty) = (limiter(&store, 60 * SECOND).await, limiter(&store, SECOND / 50).await);
    call_from_tasks(&patient, 4, 10).await;
    let suspended = Suspended::new(&server);
    // The first call is sent alone, and the others are sent together.
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            tokio::spawn({
                let patient = patient.clone();
                async move { patient.check(&HUGE, "calls").await.map(drop) }
            })
        })
        .collect();
    soon(async { while check(&hasty).await != Some(ErrorKind::Unavailable) {} }).await;
    for call in waiting {
        let outcome = soon(call).await.unwrap();
        assert_eq!(undecided(outcome).kind(), ErrorKind::Unavailable);
    }
    drop(suspended);
    wait_until_reachable(&patient).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_in_time_resets_the_count_of_missed_deadlines() {
    let server = UnreliableServer::start();
    let store = RedisStore::new(&server.proxy.url()).unwrap();
    let (patient, hasty) = (limiter(&store, PATIENCE).await, limiter(&store, 10 * MS).await);
    assert_eq!(check(&patient).await, None);
    server.proxy.set(Traffic::DelayReplies(100 * MS));
    for _ in 0..3 {
        for _ in 1..MISSED_BEFORE_OUTAGE {
            assert_ne!(check(&hasty).await, Some(ErrorKind::Unavailable));
        }
        assert_eq!(check(&patient).await, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_does_not_count_as_a_missed_deadline() {
    let server = UnreliableServer::start();
    let store = RedisStore::new(&server.proxy.url()).unwrap();
    let call = || async {
        decide(&store, Mode::Check, &[TestRequest::new(0, HUGE, 1)]).await.unwrap()[0].is_allowed()
    };
    assert!(call().await);
    server.proxy.set(Traffic::DelayReplies(20 * MS));
    let drop_after_one_poll = async || poll_once(&mut pin!(call())).await.is_ready();
    for _ in 0..2 * MISSED_BEFORE_OUTAGE {
        assert!(!drop_after_one_poll().await);
    }
    // An idle connection is also silent. Its silence must not count as a failure of the server.
    tokio::time::sleep(600 * MS).await;
    assert!(!drop_after_one_poll().await);
    assert!(call().await);
    assert_eq!(server.proxy.accepted().len(), 1);
}
