//! A loop over a limit that refuses at once, or that cannot be decided, lets the other tasks of its thread run.

use crate::harness::{RemoteStore, limiter};
use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, Key, Limit, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use support::HOUR;

const CALLS: Limit = Limit::counter(1, HOUR);
const PERMITS: Limit = Limit::concurrency(1, HOUR);

#[rate_limit(key = "rl_plain", time = "1h", count = 1)]
async fn plain() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "rl_judged", time = "1h", count = 1, refund_if = Result::is_err)]
async fn judged() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "rl_nobody", time = "1h", count = 1, by = user)]
async fn nobody(user: Option<u32>) -> Result<(), Rejection> {
    let _ = user;
    Ok(())
}

/// Makes calls until another task of the thread has run.
async fn lets_others_run<T, E>(mut call: impl AsyncFnMut() -> Result<T, E>) {
    let has_run = Arc::new(AtomicBool::new(false));
    let other = tokio::spawn({
        let has_run = Arc::clone(&has_run);
        async move { has_run.store(true, Ordering::Relaxed) }
    });
    for _ in 0..10_000 {
        assert!(call().await.is_err(), "the call is not admitted");
        if has_run.load(Ordering::Relaxed) {
            return other.await.unwrap();
        }
    }
    panic!("no other task has run");
}

async fn each_call(store: impl Store) {
    let limiter = &limiter(store).await;
    let scoped = async |call: &mut dyn FnMut() -> Boxed| ratelimit::scope(limiter.clone(), call()).await;
    limiter.check(&CALLS, "checked").await.unwrap();
    let _permit = limiter.permit(&PERMITS, "permit").await.unwrap();
    scoped(&mut || Box::pin(plain())).await.unwrap();
    scoped(&mut || Box::pin(judged())).await.unwrap();
    lets_others_run(async || limiter.check(&CALLS, "checked").await).await;
    lets_others_run(async || limiter.check_all(&[(&CALLS, &"checked", 1)]).await).await;
    lets_others_run(async || limiter.acquire(&CALLS, "checked").await).await;
    lets_others_run(async || limiter.permit(&PERMITS, "permit").await).await;
    lets_others_run(async || {
        let peeked = limiter.peek(&CALLS, "checked").await.unwrap();
        if peeked.is_allowed() { Ok(()) } else { Err(()) }
    })
    .await;
    lets_others_run(async || scoped(&mut || Box::pin(plain())).await).await;
    lets_others_run(async || scoped(&mut || Box::pin(judged())).await).await;
}

/// A store that is unavailable. Its replies are ready at once, or when they are first polled.
#[derive(Debug)]
struct Unavailable {
    at_once: bool,
}

impl Unavailable {
    fn reply<T: Send + 'static>(&self) -> Reply<T> {
        let error = Err(Error::new(ErrorKind::Unavailable, "the store fails"));
        if self.at_once { Reply::ready(error) } else { Reply::pending(ready(error)) }
    }
}

impl Store for Unavailable {
    fn decide(&self, _: Mode, _: &[&Request]) -> Reply<Decisions> {
        self.reply()
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        self.reply()
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        self.reply()
    }
}

/// If such a loop did not let others run, the task that looks for the store would never run, and the outage would never end.
#[tokio::test]
async fn calls_that_cannot_be_decided() {
    for at_once in [true, false] {
        let limiter = RateLimiter::builder().store(Unavailable { at_once }).on_error(OnError::Deny);
        let limiter = &limiter.connect().await.unwrap();
        let scoped = async |call: Boxed| ratelimit::scope(limiter.clone(), call).await;
        lets_others_run(async || limiter.check(&CALLS, "a").await).await;
        lets_others_run(async || limiter.check(&CALLS, Key::new("a").by(None::<u32>)).await).await;
        lets_others_run(async || limiter.check_all(&[(&CALLS, &"a", 1)]).await).await;
        lets_others_run(async || limiter.check_all(&[(&PERMITS, &"a", 1)]).await).await;
        lets_others_run(async || limiter.acquire(&CALLS, "a").await).await;
        lets_others_run(async || limiter.acquire(&PERMITS, "a").await).await;
        lets_others_run(async || limiter.charge(&CALLS, "a", 1).await.map(drop)).await;
        lets_others_run(async || limiter.permit(&PERMITS, "a").await).await;
        lets_others_run(async || limiter.peek(&CALLS, "a").await).await;
        lets_others_run(async || limiter.penalize(&CALLS, "a", 1).await).await;
        lets_others_run(async || limiter.reset(&CALLS, "a").await).await;
        lets_others_run(async || scoped(Box::pin(plain())).await).await;
        lets_others_run(async || scoped(Box::pin(judged())).await).await;
        lets_others_run(async || scoped(Box::pin(nobody(None))).await).await;
    }
}

type Boxed = Pin<Box<dyn Future<Output = Result<(), Rejection>>>>;

#[tokio::test]
async fn refusals_in_memory() {
    each_call(MemoryStore::with_clock(ManualClock::new())).await;
}

#[tokio::test]
async fn remembered_refusals() {
    each_call(RemoteStore::with_clock(&ManualClock::new())).await;
}

#[test]
fn outside_of_tokio_a_refusal_is_ready_at_once() {
    let limiter = RateLimiter::in_memory();
    let context = &mut Context::from_waker(Waker::noop());
    for _ in 0..1000 {
        assert!(pin!(limiter.check(&CALLS, "checked")).poll(context).is_ready());
    }
}
