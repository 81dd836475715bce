//! salvo under hostile clients.

use super::server;
use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use ratelimit::{RateLimitLayer, rate_limit};
use salvo::http::ResBody;
use salvo::prelude::*;

static GAUGE: Gauge = Gauge::new();

#[handler]
#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
async fn hostile(req: &mut Request, res: &mut Response) {
    let Answer { status, length, body } = Answer::of(&req.param::<String>("act").unwrap(), &GAUGE).await;
    res.status_code(StatusCode::from_u16(status).unwrap());
    if let Some(length) = length {
        res.headers_mut().insert("content-length", length.into());
    }
    res.body(match body {
        Body::Whole(bytes) => ResBody::Once(bytes),
        Body::Chunks(chunks) => ResBody::stream(chunks),
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http1, Version::Http2], async |limiter| {
        let layer = RateLimitLayer::new().limiter(limiter);
        server::start(Router::with_path("{act}").hoop(layer).goal(hostile)).await
    })
    .await;
}
