//! A whole axum application: the responses that clients receive, also if the application lacks the client's address.

use crate::harness::scoped;
use axum::Router;
use axum::body::Body;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;
use tower::ServiceExt;

#[rate_limit(key = "by extractor", count = 1, by = "ip")]
async fn by_extractor(_: ConnectInfo<SocketAddr>) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

#[rate_limit(key = "by request", time = 90, count = 1, by = "ip")]
async fn by_request(request: Request) -> impl IntoResponse {
    request.uri().path().to_owned()
}

#[rate_limit(key = "as a status", count = 1)]
async fn as_a_status() -> Result<(), StatusCode> {
    Ok(())
}

#[rate_limit(key = "as a response", count = 1, by = "global")]
async fn as_a_response() -> Response {
    "welcome".into_response()
}

#[rate_limit(key = "too large", count = 1, cost = u32::MAX)]
async fn too_large() -> Result<(), Rejection> {
    Ok(())
}

fn app() -> Router {
    Router::new()
        .route("/extractor", get(by_extractor))
        .route("/request", get(by_request))
        .route("/status", get(as_a_status))
        .route("/response", get(as_a_response))
        .route("/large", get(too_large))
}

/// The status and the header `Retry-After`.
async fn answer(app: &Router, path: &str) -> (u16, Option<String>) {
    let request = Request::builder().uri(path).body(Body::empty()).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
    (response.status().as_u16(), wait)
}

#[tokio::test]
async fn refusals_are_responses() {
    let app = app().layer(MockConnectInfo(SocketAddr::from(([203, 0, 113, 7], 4000))));
    scoped(async {
        for (path, wait) in [
            ("/extractor", Some("60")),
            ("/request", Some("90")),
            ("/status", None),
            ("/response", Some("60")),
        ] {
            assert_eq!(answer(&app, path).await, (200, None), "{path}");
            assert_eq!(answer(&app, path).await, (429, wait.map(str::to_owned)), "{path}");
        }
        assert_eq!(answer(&app, "/large").await, (429, None), "nothing to wait for");
    })
    .await;
}

#[tokio::test]
async fn a_request_without_an_address_is_rejected() {
    let app = app();
    scoped(async {
        for _ in 0..3 {
            assert_eq!(answer(&app, "/request").await, (503, Some("1".to_owned())));
        }
    })
    .await;
}
