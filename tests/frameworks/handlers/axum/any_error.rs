//! axum's example of an error type that accepts every error.

use super::{assert_refused, bare, layered, outcome};
use crate::harness::client::Client;
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use tracing::Level;

struct AppError(anyhow::Error);

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, format!("failed: {}", self.0)).into_response()
    }
}

impl<E: Into<anyhow::Error>> From<E> for AppError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The handler of axum's example `anyhow-error-response`. The attribute compiles without a change, because the error type has
/// a conversion for every error, including a `Rejection`. The handler then answers a refusal with 500. No compiler message
/// can warn about this: the compiler cannot distinguish a blanket `From` from a conversion that was written for rejections.
#[rate_limit(key = "anyhow", count = 1, by = "global")]
async fn handler() -> Result<(), AppError> {
    Ok(())
}

async fn second(client: &Client) -> (u16, Option<String>) {
    assert_eq!(client.get("/").await.status, 200);
    let reply = client.get("/").await;
    let (status, wait) = outcome(&reply);
    (status, wait.map(str::to_owned))
}

fn app() -> Router {
    Router::new().route("/", get(handler))
}

/// Without the layer, the client receives 500. With the layer, the client receives 429 with `Retry-After`, and the log says
/// what is wrong and what to write. With `correct_status(false)`, the status stays 500.
#[tokio::test]
async fn the_layer_reports_and_mends_a_swallowed_refusal() {
    let minute = Some("60".to_owned());
    assert_eq!(second(&bare(app()).await).await, (500, None));

    let _ = support::take_events();
    assert_eq!(second(&layered(app(), RateLimitLayer::new()).await).await, (429, minute.clone()));
    let warnings: Vec<String> = support::take_events()
        .into_iter()
        .filter(|event| event.level == Level::WARN)
        .map(|event| event.to_string())
        .collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    for words in [
        "limit=anyhow",
        "status 500 instead of 429",
        "`Rejection::find`",
        "`on_limit`",
        "the layer corrects it",
    ] {
        assert!(warning.contains(words), "{warning}");
    }

    let leaving = RateLimitLayer::new().correct_status(false);
    assert_eq!(second(&layered(app(), leaving).await).await, (500, minute));
}

/// The error type with one change, which the page about results shows: the conversion to a response looks for a rejection.
struct LookingError(anyhow::Error);

impl IntoResponse for LookingError {
    fn into_response(self) -> Response {
        match Rejection::find(self.0.as_ref()) {
            Some(rejection) => rejection.clone().into_response(),
            None => (StatusCode::INTERNAL_SERVER_ERROR, format!("failed: {}", self.0)).into_response(),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for LookingError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

#[rate_limit(key = "anyhow", count = 1, by = "global")]
async fn looking() -> Result<(), LookingError> {
    Ok(())
}

#[tokio::test]
async fn the_error_type_finds_the_rejection() {
    let client = bare(Router::new().route("/", get(looking))).await;
    assert_eq!(client.get("/").await.status, 200);
    assert_refused(&client.get("/").await);
}
