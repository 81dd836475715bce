//! rocket under hostile clients. Its streams cannot fail, and have no `content-length`.

use super::{build, serve};
use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use bytes::Bytes;
use futures_util::stream::{StreamExt, once};
use futures_util::{Stream, future};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use rocket::http::Status;
use rocket::response::stream::ByteStream;
use rocket::{get, routes};
use std::pin::Pin;

static GAUGE: Gauge = Gauge::new();

type Chunks = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

#[get("/<act>")]
#[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
async fn hostile(act: &str) -> Result<(Status, ByteStream<Chunks>), Rejection> {
    let Answer { status, body, .. } = Answer::of(act, &GAUGE).await;
    let chunks: Chunks = match body {
        Body::Whole(bytes) => once(future::ready(bytes)).boxed(),
        Body::Chunks(chunks) => chunks.filter_map(|chunk| future::ready(chunk.ok())).boxed(),
    };
    Ok((Status::new(status), ByteStream(chunks)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http1, Version::Http2], async |limiter| {
        serve(build().attach(RateLimitLayer::new().limiter(limiter)).mount("/", routes![hostile])).await
    })
    .await;
}
