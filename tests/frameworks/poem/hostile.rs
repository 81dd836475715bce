//! poem under hostile clients.

use super::server;
use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use poem::http::StatusCode;
use poem::web::Path;
use poem::{EndpointExt, Response, Route, handler};
use ratelimit::{RateLimitLayer, rate_limit};

static GAUGE: Gauge = Gauge::new();

#[handler]
#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
async fn hostile(Path(act): Path<String>) -> Response {
    let Answer { status, length, body } = Answer::of(&act, &GAUGE).await;
    let mut response = Response::builder().status(StatusCode::from_u16(status).unwrap());
    if let Some(length) = length {
        response = response.header("content-length", length);
    }
    response.body(match body {
        Body::Whole(bytes) => bytes.into(),
        Body::Chunks(chunks) => poem::Body::from_bytes_stream(chunks),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http1, Version::Http2], async |limiter| {
        let layer = RateLimitLayer::new().limiter(limiter);
        server::start(Route::new().at("/:act", hostile).with(layer)).await
    })
    .await;
}
