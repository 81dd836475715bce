//! The limiter for tests of applications. Its assertions recognize refusals by the attribute, whatever the function returns.

use crate::harness::Failed;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ratelimit::overrides::LimitChange;
use ratelimit::testing::TestLimiter;
use ratelimit::{OnError, RateLimiter, Rejection, rate_limit};
use support::{HOUR, MINUTE, SECOND};

#[rate_limit(key = "t_response", time = "1m", count = 2, by = "global")]
async fn response() -> Response {
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

#[rate_limit(key = "t_stack:{path}", time = "1s", count = 2)]
#[rate_limit(key = "t_stack:{path}", time = "1h", count = 3)]
async fn stack(path: &str) -> Result<usize, Rejection> {
    Ok(path.len())
}

#[rate_limit(key = "t_shadow:{user}", count = 1, shadow = true)]
#[rate_limit(key = "t_real", count = 3, by = user)]
async fn beside_a_shadow(user: u64) -> Result<u64, Rejection> {
    Ok(user)
}

#[rate_limit(key = "t_only_shadow", count = 1, shadow = true)]
async fn only_a_shadow() {}

#[rate_limit(key = "t_charged", count = 1, refund_if = Result::is_ok)]
async fn failures_only(fails: bool) -> Result<(), Failed> {
    if fails { Err(Failed::Other) } else { Ok(()) }
}

#[rate_limit(key = "t_lease", time = "1m", count = 40, lease = "auto")]
async fn leased() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "t_permit", time = "1m", count = 1, algorithm = "concurrency", wait = "1s")]
async fn permit() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn the_numbers_of_an_attribute_are_asserted() {
    let limiter = TestLimiter::new();
    limiter.assert_admitted(2, response).await; // a 500 is not a refusal
    limiter.assert_refused_for(MINUTE, response).await;

    limiter.assert_admitted(2, || stack("a")).await;
    limiter.assert_refused_for(SECOND, || stack("a")).await;
    limiter.assert_refused_for(HOUR.saturating_sub(SECOND), || stack("a")).await;
    limiter.assert_admitted(1, || stack("b")).await;

    limiter.assert_admitted(9, || failures_only(false)).await;
    limiter.assert_admitted(1, || failures_only(true)).await;
    limiter.assert_refused_for(MINUTE, || failures_only(false)).await;

    limiter.assert_admitted(40, leased).await;
    limiter.assert_refused_for(MINUTE, leased).await;
    limiter.assert_admitted(3, permit).await; // each call has returned its permit
}

#[tokio::test]
async fn a_shadow_limit_refuses_nothing() {
    let limiter = TestLimiter::new();
    limiter.assert_admitted(3, || beside_a_shadow(7)).await;
    limiter.assert_refused_for(MINUTE, || beside_a_shadow(7)).await;
    let only_shadow = tokio::spawn(async { TestLimiter::new().assert_admitted(1, only_a_shadow).await });
    assert!(only_shadow.await.unwrap_err().is_panic(), "no limit can refuse this call");
}

#[tokio::test]
async fn the_settings_of_a_builder_apply() {
    let settings = RateLimiter::builder().redis("redis://127.0.0.1:1").on_error(OnError::Deny).off();
    let limiter = TestLimiter::with_settings(settings).unwrap();
    assert!(TestLimiter::with_settings(RateLimiter::builder().prefix("")).is_err());
    limiter.overrides().set("t_response", LimitChange::new().count(1)).await.unwrap();
    limiter.assert_admitted(1, response).await;
    limiter.assert_refused_for(MINUTE, response).await;
    let status = limiter.scope(response()).await.status();
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    limiter.set_available(false);
    assert_eq!(limiter.scope(response()).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(!limiter.status().await.is_ready());
    limiter.set_available(true);
    assert!(limiter.status().await.is_reachable());
    limiter.assert_refused_for(MINUTE, response).await;
}
