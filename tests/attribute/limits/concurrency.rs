//! `algorithm = "concurrency"` limits the number of calls that run at the same time. Every way to end a call frees its
//! permit.

use crate::harness::{Failed, Runs, at_once, caught, limiter, scoped, soon};
use async_trait::async_trait;
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, MemoryStore, RateLimiter, Rejection, rate_limit};
use support::{MINUTE, SECOND};
use tokio::sync::Notify;

#[rate_limit(key = "render", count = 2, algorithm = "concurrency")]
async fn render(runs: &Runs, go: &Notify) -> Result<u32, Rejection> {
    let run = runs.add();
    go.notified().await;
    Ok(run)
}

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency")]
async fn one(text: &str) -> Result<u32, Failed> {
    tokio::task::yield_now().await;
    if text.is_empty() {
        return Ok(0);
    }
    assert_ne!(text, "panic", "a panic that the test wants");
    Ok(text.parse()?)
}

#[rate_limit(key = "costly", count = 3, algorithm = "concurrency", cost = cost)]
async fn costly(cost: u32, go: &Notify) -> Result<(), Rejection> {
    go.notified().await;
    Ok(())
}

#[rate_limit(key = "planned", limit = limit)]
async fn planned(limit: Limit, go: &Notify) -> Result<(), Rejection> {
    go.notified().await;
    Ok(())
}

struct Service {
    limits: RateLimiter,
}

#[async_trait]
trait Render {
    async fn draw(&self, go: &Notify) -> Result<(), Rejection>;
}

#[async_trait]
impl Render for Service {
    #[rate_limit(key = "draw", count = 1, algorithm = "concurrency", limiter = self.limits)]
    async fn draw(&self, go: &Notify) -> Result<(), Rejection> {
        go.notified().await;
        Ok(())
    }
}

#[tokio::test]
async fn only_count_calls_run_at_once() {
    let (runs, go) = (&Runs::default(), Notify::new());
    scoped(async {
        let (mut a, mut b) = (Box::pin(render(runs, &go)), Box::pin(render(runs, &go)));
        assert!(soon(&mut a).await.is_none() && soon(&mut b).await.is_none());
        let refused = at_once(render(runs, &go)).await.unwrap_err();
        assert_eq!((refused.name(), runs.count()), ("render", 2));
        assert_eq!(refused.retry_after(), None, "nobody knows when a permit will be returned");
        assert_eq!(
            refused.decision().unwrap().retry_after(),
            Some(MINUTE),
            "when the leases end at the latest"
        );
        go.notify_one();
        assert_eq!(a.await.unwrap(), 1);
        assert!(soon(&mut Box::pin(render(runs, &go))).await.is_none(), "runs");
        assert_eq!(runs.count(), 3);
    })
    .await;
}

#[tokio::test]
async fn every_end_frees_the_permit() {
    scoped(async {
        assert!(matches!(one("7").await, Ok(7)));
        assert!(matches!(one("").await, Ok(0)), "after a value");
        assert!(matches!(one("x").await, Err(Failed::Parsing)), "after `return`");
        assert!(caught(one("panic")).await.is_none(), "after `?`");
        let mut cancelled = Box::pin(one("7"));
        assert!(soon(&mut cancelled).await.is_none(), "after a panic");
        assert!(matches!(one("7").await, Err(Failed::Rejected)), "while it runs");
        drop(cancelled);
        assert!(matches!(one("7").await, Ok(7)), "after a future that was dropped");
    })
    .await;
}

#[tokio::test]
async fn a_future_that_was_never_polled_holds_nothing() {
    scoped(async {
        let never_polled = one("7");
        assert!(matches!(one("7").await, Ok(7)));
        drop(never_polled);
    })
    .await;
}

#[tokio::test]
async fn a_call_may_hold_several_permits() {
    let go = Notify::new();
    scoped(async {
        let (mut two, mut one) = (Box::pin(costly(2, &go)), Box::pin(costly(1, &go)));
        assert!(soon(&mut two).await.is_none());
        assert!(at_once(costly(2, &go)).await.is_err());
        assert!(soon(&mut one).await.is_none());
        drop(two);
        assert!(soon(&mut Box::pin(costly(2, &go))).await.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_limit_value_may_be_a_concurrency_limit() {
    let go = Notify::new();
    let permits = Limit::concurrency(1, 30 * SECOND);
    scoped(async {
        let mut held = Box::pin(planned(permits, &go));
        assert!(soon(&mut held).await.is_none());
        assert!(at_once(planned(permits, &go)).await.is_err());
        drop(held);
        assert!(soon(&mut Box::pin(planned(permits, &go))).await.is_none());
        let counter = Limit::counter(1, 30 * SECOND);
        assert!(soon(&mut Box::pin(planned(counter, &go))).await.is_none());
        assert!(at_once(planned(counter, &go)).await.is_err(), "a counter takes, and gives nothing back");
    })
    .await;
}

#[tokio::test]
async fn methods_of_async_trait() {
    let go = Notify::new();
    let service = Service { limits: limiter(MemoryStore::with_clock(ManualClock::new())).await };
    let mut drawing = service.draw(&go);
    assert!(soon(&mut drawing).await.is_none());
    assert!(at_once(service.draw(&go)).await.is_err());
    go.notify_one();
    drawing.await.unwrap();
    assert!(soon(&mut service.draw(&go)).await.is_none());
}

/// The number of waiting calls is bounded, because each of them holds a connection and asks the store repeatedly.
#[tokio::test]
async fn at_most_1000_calls_wait_under_one_key() {
    let limiter = limiter(MemoryStore::with_clock(ManualClock::new())).await;
    let limit = Limit::concurrency(1, MINUTE).wait(MINUTE);
    let held = limiter.permit(&limit, "exports").await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..1000 {
        let mut call = Box::pin(limiter.permit(&limit, "exports"));
        assert!(soon(&mut call).await.is_none());
        waiting.push(call);
    }
    at_once(limiter.permit(&limit, "exports")).await.unwrap_err();
    drop(at_once(limiter.permit(&limit, "others")).await.unwrap());
    // Frees a place in the queue.
    waiting.pop();
    assert!(soon(&mut Box::pin(limiter.permit(&limit, "exports"))).await.is_none());
    waiting.clear();
    drop(held);
    drop(at_once(limiter.permit(&limit, "exports")).await.unwrap());
}
