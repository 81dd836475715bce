//! The return types that can report a refusal, and what a refused call returns.

use crate::harness::{Runs, passes_once, scoped};
use axum::http::StatusCode;
use ratelimit::{FromRejection, Rejection, rate_limit};
use std::fmt::Display;

#[derive(Debug, PartialEq)]
struct AppError(String);

impl From<Rejection> for AppError {
    fn from(rejection: Rejection) -> Self {
        Self(rejection.name().to_owned())
    }
}

type AppResult<T = (), E = AppError> = Result<T, E>;

#[rate_limit(key = "own", count = 1)]
async fn own_error(runs: &Runs) -> Result<u32, AppError> {
    Ok(runs.add())
}

#[rate_limit(key = "alias", count = 1)]
async fn alias(runs: &Runs) -> AppResult {
    runs.add();
    Ok(())
}

#[rate_limit(count = 1)]
async fn boxed_error(runs: &Runs) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    Ok(runs.add())
}

#[rate_limit(count = 1)]
async fn opaque_in_a_result(runs: &Runs) -> Result<impl Iterator<Item = u32> + use<>, Rejection> {
    Ok(0..runs.add())
}

#[rate_limit(count = 1)]
async fn opaque(runs: &Runs, early: bool) -> impl Display {
    runs.add();
    if early {
        return "early";
    }
    "late"
}

#[rate_limit(count = 1, on_limit = |rejection| rejection.to_string())]
async fn opaque_with_fallback(runs: &Runs) -> impl Display {
    runs.add().to_string()
}

#[rate_limit(count = 1, on_limit = |_| None)]
async fn option(runs: &Runs) -> Option<u32> {
    Some(runs.add())
}

#[rate_limit(count = 1, on_limit = drop)]
async fn unit(runs: &Runs) {
    runs.add();
}

#[expect(clippy::needless_pass_by_value, reason = "as `on_limit` calls it")]
fn seconds(rejection: Rejection) -> u64 {
    rejection.retry_after().map_or(0, |wait| wait.as_secs())
}

#[rate_limit(count = 1, time = 30, on_limit = seconds)]
async fn by_path(runs: &Runs) -> u64 {
    u64::from(runs.add())
}

#[rate_limit(count = 1, on_limit = |rejection: Rejection| format!("{fallback} {}", rejection.name().len()))]
async fn by_a_closure_that_takes_an_argument(runs: &Runs, fallback: String) -> String {
    runs.add();
    fallback
}

enum Outcome {
    Done,
    Later,
}

impl FromRejection for Outcome {
    fn from_rejection(_: Rejection) -> Self {
        Self::Later
    }
}

#[rate_limit(count = 1)]
async fn own_type(runs: &Runs) -> Outcome {
    runs.add();
    Outcome::Done
}

#[rate_limit(count = 1)]
async fn status(runs: &Runs) -> Result<String, StatusCode> {
    Ok(runs.add().to_string())
}

#[tokio::test]
async fn results() {
    let runs = &Runs::default();
    assert_eq!(passes_once(runs, async || own_error(runs).await).await, AppError("own".to_owned()));
    assert_eq!(passes_once(runs, async || alias(runs).await).await, AppError("alias".to_owned()));
    let boxed = passes_once(runs, async || boxed_error(runs).await).await;
    assert!(boxed.is::<Rejection>());
    assert_eq!(passes_once(runs, async || status(runs).await).await, StatusCode::TOO_MANY_REQUESTS);
    passes_once(runs, async || opaque_in_a_result(runs).await.map(Iterator::last)).await;
}

#[tokio::test]
async fn an_opaque_type_becomes_a_result() {
    let runs = &Runs::default();
    for (early, expected) in [(true, "early"), (false, "late")] {
        let call = async || opaque(runs, early).await.map(|shown| assert_eq!(shown.to_string(), expected));
        passes_once(runs, call).await;
    }
}

#[tokio::test]
async fn fallbacks() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(option(runs).await, Some(1));
        assert_eq!(option(runs).await, None);
        unit(runs).await;
        unit(runs).await;
        assert_eq!(runs.count(), 2);
        assert_eq!(by_path(runs).await, 3);
        assert_eq!(by_path(runs).await, 30);
        assert_eq!(opaque_with_fallback(runs).await.to_string(), "4");
        let refused = opaque_with_fallback(runs).await.to_string();
        assert_eq!(refused, "too many requests: try again in 60 seconds");
        let call = async |text: &str| by_a_closure_that_takes_an_argument(runs, text.to_owned()).await;
        assert_eq!(call("a").await, "a");
        assert!(call("b").await.starts_with("b "));
    })
    .await;
    assert_eq!(runs.count(), 5);
}

#[tokio::test]
async fn types_of_the_application() {
    let runs = &Runs::default();
    scoped(async {
        assert!(matches!(own_type(runs).await, Outcome::Done));
        assert!(matches!(own_type(runs).await, Outcome::Later));
    })
    .await;
    assert_eq!(runs.count(), 1);
}
