//! axum under hostile clients.

use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use crate::harness::server::serve;
use axum::Router;
use axum::extract::Path;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use axum::routing::any;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};

static GAUGE: Gauge = Gauge::new();

#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
async fn hostile(Path(act): Path<String>) -> Result<Response, Rejection> {
    let Answer { status, length, body } = Answer::of(&act, &GAUGE).await;
    let mut response = Response::builder().status(status);
    if let Some(length) = length {
        response = response.header(CONTENT_LENGTH, length);
    }
    let body = match body {
        Body::Whole(bytes) => bytes.into(),
        Body::Chunks(chunks) => axum::body::Body::from_stream(chunks),
    };
    Ok(response.body(body).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http1, Version::Http2], async |limiter| {
        let app = Router::new().route("/{act}", any(hostile)).layer(RateLimitLayer::new().limiter(limiter));
        serve(app).await
    })
    .await;
}
