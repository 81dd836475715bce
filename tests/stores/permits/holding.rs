//! Held permits: they are free again after every way in which a holder can end, last for as long as they are held, and end with
//! their lease if the process is killed.

use crate::bounds::processes::workers::Worker;
use crate::harness::{assert_all_expire, limiter_on, runtime, server_time_us, soon};
use ratelimit::{Limit, OnError, Permit, RateLimiter, Rejection};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use support::{HOUR, RedisServer, SECOND};

/// A limit whose lease is longer than the test.
const LONG: Limit = Limit::concurrency(1, HOUR);
const SHORT: Limit = Limit::concurrency(1, SECOND);

async fn limiter(server: &RedisServer) -> RateLimiter {
    limiter_on(server).on_error(OnError::Deny).connect().await.unwrap()
}

async fn take(limiter: &RateLimiter, limit: &Limit) -> Option<Permit> {
    match limiter.permit(limit, "permits").await {
        Ok(permit) => Some(permit),
        Err(Rejection::Limited(_)) => None,
        Err(rejection) => panic!("not decided: {rejection:?}"),
    }
}

/// Requests a permit repeatedly until the call is admitted.
async fn take_soon(limiter: &RateLimiter, limit: &Limit) -> Permit {
    let asking = async {
        loop {
            if let Some(permit) = take(limiter, limit).await {
                return permit;
            }
        }
    };
    soon(asking).await
}

/// The ids of the permits in the server, and the ends of their leases in ms of its clock.
fn leases(raw: &mut redis::Connection) -> Vec<(u64, u64)> {
    redis::cmd("ZRANGE").arg("ratelimit:{permits}:cc2").arg(0).arg(-1).arg("WITHSCORES").query(raw).unwrap()
}

/// Takes a permit, ends its holder with `lose`, and waits until another limiter gets the permit.
async fn comes_back(lose: impl AsyncFnOnce(RateLimiter, Permit)) {
    let server = RedisServer::start();
    let (holder, other) = (limiter(&server).await, limiter(&server).await);
    let permit = take(&holder, &LONG).await.unwrap();
    assert!(take(&other, &LONG).await.is_none());
    lose(holder, permit).await;
    drop(take_soon(&other, &LONG).await);
    other.close().await;
    assert_eq!(leases(&mut server.raw()), []);
    assert_all_expire(&server, &[LONG]);
}

#[tokio::test]
async fn a_permit_comes_back_however_its_holder_ends() {
    async fn fails(_permit: Permit) -> Result<(), std::num::ParseIntError> {
        tokio::task::yield_now().await;
        "no number".parse::<u32>()?;
        Ok(())
    }
    let panics = |permit: Permit| {
        let _permit = permit;
        panic!("as expected");
    };
    comes_back(async |_, permit| drop(permit)).await;
    comes_back(async |_, permit| assert!(fails(permit).await.is_err())).await;
    comes_back(async |_, permit| {
        assert!(tokio::spawn(async move { panics(permit) }).await.unwrap_err().is_panic());
    })
    .await;
    comes_back(async |_, permit| assert!(catch_unwind(AssertUnwindSafe(|| panics(permit))).is_err())).await;
    comes_back(async |_, permit| {
        let task = tokio::spawn(async move {
            let _permit = permit;
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    })
    .await;
}

#[tokio::test]
async fn a_permit_comes_back_when_its_limiter_closes() {
    comes_back(async |holder, permit| {
        holder.close().await;
        let (again, other) = (take(&holder, &LONG).await, take(&holder, &LONG).await);
        assert!(again.is_some() && other.is_none(), "it works on");
        drop(permit);
        holder.close().await;
        assert!(take(&holder, &LONG).await.is_some(), "close has given it back");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_permit_of_a_killed_process_is_free_when_its_lease_ends() {
    let server = RedisServer::start();
    let (other, mut raw) = (limiter(&server).await, server.raw());
    let mut holder = Worker::start(&[&server.url(), "hold", "1000", "permits"]);
    assert_eq!(holder.line(), "held");
    let [(id, first)] = leases(&mut raw)[..] else { panic!("one is held") };
    let renewed = async { while leases(&mut raw) == [(id, first)] {} };
    soon(renewed).await;
    holder.kill();
    let killed_at = server_time_us(&mut raw) / 1000;
    assert!(take(&other, &SHORT).await.is_none());
    let [(_, ends)] = leases(&mut raw)[..] else { panic!("one is held") };
    assert!(first < ends && ends <= killed_at + 1000, "{first}, killed at {killed_at}, {ends}");
    let free = async {
        loop {
            let before = server_time_us(&mut raw) / 1000;
            match take(&other, &SHORT).await {
                None => assert!(before < ends, "not free when the lease ends"),
                Some(_) => return,
            }
        }
    };
    soon(free).await;
    assert!(server_time_us(&mut raw) / 1000 >= ends, "free before the lease ends");
    other.close().await;
    assert_all_expire(&server, &[SHORT]);
}

#[test]
fn a_late_return_does_not_free_a_permit_of_another_holder() {
    let (server, stalled, runs) = (RedisServer::start(), runtime(), runtime());
    let mut raw = server.raw();
    // This runtime is not polled during the test, so its permit is not renewed.
    let (holder, permit) = stalled.block_on(async {
        let holder = limiter(&server).await;
        let permit = take(&holder, &SHORT).await.unwrap();
        (holder, permit)
    });
    let (other, theirs) = runs.block_on(async {
        let other = limiter(&server).await;
        let theirs = take_soon(&other, &LONG).await;
        (other, theirs)
    });
    let held = leases(&mut raw);
    assert_eq!(held.len(), 1, "the lease has ended");
    stalled.block_on(async {
        drop(permit);
        holder.close().await;
        assert!(take(&holder, &SHORT).await.is_none());
    });
    assert_eq!(leases(&mut raw), held);
    runs.block_on(async {
        drop(theirs);
        other.close().await;
    });
    assert_eq!(leases(&mut raw), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_taken_locally_stay_local() {
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Local).connect().await.unwrap();
    server.stop();
    let permit = take(&limiter, &SHORT).await.unwrap();
    let taken = Instant::now();
    while taken.elapsed() < 5 * SECOND / 2 {
        assert!(take(&limiter, &SHORT).await.is_none(), "renewed here, too");
    }
    server.restart();
    soon(async { while limiter.peek(&SHORT, "permits").await.is_err() {} }).await;
    drop(permit);
    limiter.close().await;
    assert_eq!(leases(&mut server.raw()), []);
    server.stop();
    assert!(take(&limiter, &SHORT).await.is_some(), "the permit was not returned in memory");
}
