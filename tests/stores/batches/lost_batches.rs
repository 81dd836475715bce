//! Batches whose server fails or stays silent, or whose runtime ends. Each call has one outcome, and its request is sent once.

use crate::harness::{
    Pending, Suspended, TestRequest, checks, join, poll_once, runtime, script_calls, soon, wait_for,
};
use ratelimit::{ErrorKind, Limit, RedisStore};
use support::{DAY, MS, RedisServer};

const LIMIT: Limit = Limit::counter(4_000_000, DAY);

/// Six calls on different keys. The first call is sent alone, and the others are sent together.
fn calls(store: &RedisStore) -> Vec<Pending<'_>> {
    checks(store, &[0, 1, 2, 3, 4, 5].map(|key| TestRequest::new(key, LIMIT, 1)))
}

/// Gives the worker time to send the calls, or to end.
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

/// The server stays silent. If the worker waited for replies that no caller wants, it would never end.
#[tokio::test]
async fn a_batch_that_nobody_waits_for_ends_its_task() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    join(calls(&store)).await;
    settle().await;
    let tasks = tokio::runtime::Handle::current().metrics();
    let before = tasks.num_alive_tasks();
    let _suspended = Suspended::new(&server);
    let mut dropped = calls(&store);
    for pending in &mut dropped {
        assert!(poll_once(pending).await.is_pending());
    }
    settle().await;
    assert!(tasks.num_alive_tasks() > before);
    drop(dropped);
    wait_for("the worker ends", async || tasks.num_alive_tasks() == before).await;
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
