//! Limiters that are switched off: functions with the attribute run as if they had no limits.

use crate::harness::{Runs, at_once, counted};
use ratelimit::context::RequestContext;
use ratelimit::overrides::LimitChange;
use ratelimit::{ErrorKind, Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::{MINUTE, take_events};

counted! {
    #[rate_limit(key = "off_counter", count = 1)] counter;
    #[rate_limit(key = "off_queue", time = "1h", count = 1, algorithm = "leaky_bucket", wait = "9h")] queue;
    #[rate_limit(key = "off_charged", count = 1, refund_if = Result::is_ok)]
    #[rate_limit(key = "off_shadow", count = 1, shadow = true)]
    charged;
}

#[rate_limit(key = "off_by", count = 1, by = user)]
async fn by_user(runs: &Runs, user: Option<u64>) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(key = "off_stack", time = "1s", count = none)]
#[rate_limit(key = "off_stack", time = "1h", count = 1, cost = none + 9, by = user, refund_if = |_| true)]
async fn stack(runs: &Runs, user: Option<u64>, none: u32) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(key = "off_permit", count = 1, algorithm = "concurrency")]
async fn permit(runs: &Runs) -> Result<u32, Rejection> {
    if runs.add() < 10 { Box::pin(permit(runs)).await } else { Ok(10) }
}

#[rate_limit(key = "off_invalid", skip_if = runs.count() == 99, limit = Limit::counter(1, Duration::ZERO))]
async fn invalid_limit(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

async fn off() -> RateLimiter {
    RateLimiter::builder().off().connect().await.unwrap()
}

#[tokio::test]
async fn every_call_passes_at_once() {
    let runs = Runs::default();
    let context = RequestContext::new();
    let calls = async {
        for _ in 0..10 {
            counter(&runs).await.unwrap();
            by_user(&runs, None).await.unwrap();
            stack(&runs, None, 0).await.unwrap();
            queue(&runs).await.unwrap();
            charged(&runs).await.unwrap();
            invalid_limit(&runs).await.unwrap();
        }
    };
    at_once(ratelimit::scope(off().await, context.clone().scope(calls))).await;
    assert_eq!(runs.count(), 60);
    assert!(context.decisions().is_empty(), "nothing is decided");
    let runs = Runs::default();
    assert_eq!(ratelimit::scope(off().await, permit(&runs)).await.unwrap(), 10);
}

#[tokio::test]
async fn the_methods_admit_every_call() {
    let limiter = off().await;
    let (one, permits) = (Limit::counter(1, MINUTE), Limit::concurrency(1, MINUTE));
    let nobody = || Key::new("off").by(None::<u64>);
    for _ in 0..10 {
        limiter.check(&one, nobody()).await.unwrap();
        limiter.check_cost(&Limit::counter(4, MINUTE).lease(2), "leased", 2).await.unwrap();
        limiter.acquire(&one, "off").await.unwrap();
        assert_eq!(limiter.check_all(&[(&one, &nobody(), 1), (&one, &nobody(), 1)]).await.unwrap().len(), 2);
        limiter.charge(&one, nobody(), 5).await.unwrap().settle(9).await.unwrap();
        assert_eq!(limiter.charge(&one, nobody(), 5).await.unwrap().refund().await.unwrap(), 0);
        std::mem::forget(limiter.permit(&permits, "off").await.unwrap());
        assert_eq!(limiter.penalize(&one, "off", 5).await.unwrap(), 0);
        assert_eq!(limiter.peek(&one, nobody()).await.unwrap().remaining(), 1);
    }
    assert!(!limiter.reset(&one, "off").await.unwrap());
    let error = limiter.overrides().set("off", LimitChange::new().count(2)).await.unwrap_err();
    assert!(error.to_string().contains("limits are off"), "{error}");
    assert!(limiter.check(&permits, "off").await.is_err(), "a mistake of the program");
}

#[tokio::test]
async fn a_limiter_that_is_off_is_logged_once_and_connects_to_nothing() {
    let _ = take_events();
    let limiter = RateLimiter::builder().redis("redis://127.0.0.1:1").off().connect().await.unwrap();
    for _ in 0..3 {
        limiter.check(&Limit::counter(1, MINUTE), "off").await.unwrap();
    }
    let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    assert_eq!(events.iter().filter(|event| event.contains("limits are off")).count(), 1, "{events:?}");
    assert!(events.iter().any(|event| event.starts_with("WARN")), "{events:?}");
    let error = RateLimiter::builder().redis("http://127.0.0.1").off().connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
}
