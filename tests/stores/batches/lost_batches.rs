//! Batches whose server fails or stays silent, or whose runtime ends. Each call has one outcome, and its request is sent once.

use crate::harness::{
    Pending, Suspended, TestRequest, checks, join, poll_once, runtime, script_calls, soon, wait_for,
};
use ratelimit::{ErrorKind, Limit, RedisStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{DAY, FakeServer, MS, RedisServer};

const LIMIT: Limit = Limit::counter(4_000_000, DAY);

/// Six calls on different keys.
fn calls(store: &RedisStore) -> Vec<Pending<'_>> {
    checks(store, &[0, 1, 2, 3, 4, 5].map(|key| TestRequest::new(key, LIMIT, 1)))
}

/// Gives the task of the session time to send the calls.
async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_temporary_error_of_the_server_is_the_error_of_each_call() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    join(calls(&store)).await;
    let set = |bytes: u32| {
        let mut command = redis::cmd("CONFIG");
        command.arg("SET").arg("maxmemory").arg(bytes).exec(&mut server.raw()).unwrap();
    };
    set(1);
    let before = script_calls(&server);
    for answer in join(calls(&store)).await {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains("`maxmemory`"), "{error}");
    }
    assert!(script_calls(&server) - before <= 3, "the calls of the batch were sent one by one");
    set(0);
    assert!(join(calls(&store)).await.into_iter().all(|answer| answer.unwrap().is_allowed()));
}

/// The server is silent for longer than a connection may be, but all callers still wait.
#[tokio::test]
async fn a_silent_server_decides_the_calls_that_still_wait() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    join(calls(&store)).await;
    let suspended = Suspended::new(&server);
    let mut waiting = Box::pin(join(calls(&store)));
    assert!(tokio::time::timeout(1200 * MS, &mut waiting).await.is_err(), "the server is suspended");
    drop(suspended);
    for answer in soon(waiting).await {
        assert_eq!(answer.unwrap().remaining(), LIMIT.count() - 2);
    }
}

/// The server replies to no script. If the batches waited for replies that no caller wants, no further batch would be sent.
#[tokio::test]
async fn a_batch_that_nobody_waits_for_gives_up_its_place() {
    let scripts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&scripts);
    let server = FakeServer::start(move |words, _| {
        let is_script = words[0] == "EVALSHA";
        counted.fetch_add(usize::from(is_script), Ordering::Relaxed);
        if is_script { Vec::new() } else { b"+OK\r\n".to_vec() }
    });
    let store = RedisStore::new(&server.url()).unwrap();
    let mut calls = calls(&store);
    for (number, pending) in (1..=4).zip(&mut calls) {
        wait_for("the batch is sent", async || {
            assert!(poll_once(pending).await.is_pending());
            scripts.load(Ordering::Relaxed) == number
        })
        .await;
    }
    let mut last = calls.pop().unwrap();
    assert!(poll_once(&mut last).await.is_pending());
    settle().await;
    assert_eq!(scripts.load(Ordering::Relaxed), 4);
    drop(calls);
    wait_for("the next batch is sent", async || scripts.load(Ordering::Relaxed) == 5).await;
}

/// The server may have executed the requests of the batch, so its calls fail and are not sent again.
#[test]
fn calls_whose_batch_ends_with_its_runtime_are_not_sent_again() {
    let server = RedisServer::start();
    let (lasting, passing) = (runtime(), runtime());
    let store = RedisStore::new(&server.url()).unwrap();
    let suspended = passing.block_on(async {
        join(calls(&store)).await;
        Suspended::new(&server)
    });
    let mut all = calls(&store);
    passing.block_on(async {
        for pending in &mut all {
            assert!(poll_once(pending).await.is_pending());
        }
        settle().await;
    });
    drop(passing);
    drop(suspended);
    let answers = lasting.block_on(soon(join(all)));
    for answer in &answers[1..] {
        let error = answer.as_ref().unwrap_err();
        assert!(error.to_string().contains("the runtime that waited for it has shut down"), "{error}");
    }
}
