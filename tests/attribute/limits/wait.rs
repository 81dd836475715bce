//! `wait`: the body runs when the call has its turn. Tokio's clock is paused, so time advances only when all tasks are idle.

use crate::harness::{limiter, soon};
use ratelimit::clock::TokioClock;
use ratelimit::{MemoryStore, Rejection, rate_limit};
use std::future::Future;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Runs a test with a limiter whose clock follows tokio's.
async fn timed<F: Future>(test: impl FnOnce(Instant) -> F) -> F::Output {
    let start = Instant::now();
    ratelimit::scope(limiter(MemoryStore::with_clock(TokioClock::new())).await, test(start)).await
}

/// The time at which the body ran, in seconds since the start.
type At = Result<f64, Rejection>;

#[rate_limit(key = "counter", time = 1, count = 1, wait = "2s")]
async fn counted(start: Instant) -> At {
    Ok(start.elapsed().as_secs_f64())
}

#[rate_limit(key = "bucket", time = 1, count = 2, algorithm = "token_bucket", burst = 1, borrow = borrow, wait = patience)]
async fn at_the_call(start: Instant, borrow: u32, patience: Duration) -> At {
    Ok(start.elapsed().as_secs_f64())
}

#[rate_limit(key = "permit", count = 1, algorithm = "concurrency", wait = "2s")]
async fn one_at_a_time(start: Instant, go: &Notify) -> At {
    let at = start.elapsed().as_secs_f64();
    go.notified().await;
    Ok(at)
}

fn passed<const N: usize>(all: [At; N]) -> [Option<f64>; N] {
    all.map(Result::ok)
}

#[tokio::test(start_paused = true)]
async fn calls_run_at_their_turn_or_are_refused_at_once() {
    timed(async |start| {
        let calls = || counted(start);
        let (a, b, c, d) = tokio::join!(calls(), calls(), calls(), async {
            let refused = calls().await.unwrap_err();
            assert!(start.elapsed().is_zero(), "at once");
            refused
        });
        assert_eq!(passed([a, b, c]), [Some(0.), Some(1.), Some(2.)]);
        assert_eq!(d.retry_after(), Some(Duration::from_secs(3)));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_turn_of_a_dropped_call_is_free() {
    timed(async |start| {
        counted(start).await.unwrap();
        let mut given_up = Box::pin(counted(start));
        assert!(soon(&mut given_up).await.is_none());
        drop(given_up);
        assert_eq!(passed([counted(start).await]), [Some(1.)]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_wait_may_depend_on_the_call() {
    timed(async |start| {
        let call = |borrow, ms| at_the_call(start, borrow, Duration::from_millis(ms));
        assert_eq!(
            passed([call(1, 0).await, call(1, 0).await, call(1, 0).await]),
            [Some(0.), Some(0.), None]
        );
        assert_eq!(passed([call(1, 499).await, call(1, 500).await]), [None, Some(0.5)]);
        assert_eq!(passed([call(0, 999).await, call(0, 1000).await]), [None, Some(1.5)]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_gets_the_permit_of_a_call_that_ends() {
    let go = Notify::new();
    timed(async |start| {
        let mut first = Box::pin(one_at_a_time(start, &go));
        assert!(soon(&mut first).await.is_none());
        let second = tokio::time::timeout(Duration::from_secs(60), one_at_a_time(start, &go));
        assert!(second.await.expect("the call ends").is_err());
        assert_eq!(start.elapsed(), Duration::from_secs(2), "its patience");
        let end = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            drop(first);
            go.notify_one();
        };
        let (third, ()) = tokio::join!(one_at_a_time(start, &go), end);
        assert_eq!(passed([third]), [Some(3.)]);
    })
    .await;
}
