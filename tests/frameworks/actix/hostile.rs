//! actix-web under hostile clients.

use super::server;
use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use actix_web::http::StatusCode;
use actix_web::web::{self, Path};
use actix_web::{HttpResponse, HttpResponseBuilder};
use ratelimit::{RateLimitLayer, rate_limit};

static GAUGE: Gauge = Gauge::new();

#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
async fn hostile(act: Path<String>) -> HttpResponse {
    let Answer { status, length, body } = Answer::of(&act, &GAUGE).await;
    let mut response = HttpResponseBuilder::new(StatusCode::from_u16(status).unwrap());
    if let Some(length) = length {
        response.no_chunking(length);
    }
    match body {
        Body::Whole(bytes) => response.body(bytes),
        Body::Chunks(chunks) => response.streaming(chunks),
    }
}

#[tokio::test]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http1, Version::Http2], async |limiter| {
        server::start(RateLimitLayer::new().limiter(limiter), |config| {
            config.route("/{act}", web::to(hostile));
        })
    })
    .await;
}
