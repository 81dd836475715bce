//! The contract of limits that end with the body of a response. A framework's test serves these routes, and calls [`check`]. The
//! handlers have `until = "body_end"`, and send the bodies of [`App`]:
//!
//! | route | handler |
//! |---|---|
//! | each of `streams` | the next body, in one form of return value |
//! | each of `finished` | a response with this status, whose body is not a stream; the body of `/whole` is `whole` |
//! | `/blocks` | the next body; `key = "blocks", limit = BLOCKS, cost = 20, settle = contract::charge` |
//!
//! `streams` and `finished` share one permit: `key = "streams", limit = STREAMS`. All limits have
//! `by = "global"`, and the whole application is in `RateLimitLayer::new().limiter(app.limits)`.

use super::server::{App, chunk};
use crate::harness::client::{Client, VERSIONS};
use crate::harness::limiters::limiters;
use ratelimit::Limit;
use ratelimit::body::BodySent;
use std::net::SocketAddr;
use support::{HOUR, MINUTE};

/// The limit that all streams share.
pub(crate) const STREAMS: Limit = Limit::concurrency(1, MINUTE);
/// The limit of `/blocks`.
pub(crate) const BLOCKS: Limit = Limit::counter(100, HOUR);

/// Returns the charge of `/blocks`: 1 unit for each started kilobyte that was sent, or 30 units if the response was cut.
pub(crate) fn charge(sent: BodySent) -> u32 {
    if sent.is_complete() { sent.blocks(1000) } else { 30 }
}

/// Serves the contract's routes for each store and version of HTTP, and checks them.
pub(crate) async fn check(
    streams: &[&str],
    finished: &[(&str, u16)],
    serve: impl AsyncFn(App) -> SocketAddr,
) {
    everywhere(serve, async |app, client| {
        for path in streams {
            until_the_body_ends(app, client, path, streams).await;
            until_the_client_goes_away(app, client, path).await;
        }
        for (path, status) in finished {
            let reply = client.get(path).await;
            assert_eq!(reply.status, *status, "{path}");
            if *path == "/whole" {
                assert_eq!((reply.header("content-length"), reply.body.as_str()), (Some("5"), "whole"));
            }
            app.until_free(&STREAMS, "streams", 1).await;
        }
        settled_by_what_was_sent(app, client).await;
    })
    .await;
}

/// Runs a test with each store and version of HTTP.
pub(crate) async fn everywhere(serve: impl AsyncFn(App) -> SocketAddr, test: impl AsyncFn(&App, &Client)) {
    for version in VERSIONS {
        for limiter in limiters().await {
            let app = App::new(limiter);
            let client = Client::new(serve(app.clone()).await, version);
            test(&app, &client).await;
        }
    }
}

/// Checks that the permit is held until the body ends, although the handler has returned.
async fn until_the_body_ends(app: &App, client: &Client, path: &str, streams: &[&str]) {
    let body = app.next_body();
    body.send(chunk(3)).await.unwrap();
    let mut response = client.request(path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    assert!(response.chunk().await.unwrap().is_some(), "{path}");
    for other in streams {
        let refused = client.get(other).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, None), "{path} {other}");
    }
    drop(body);
    response.bytes().await.unwrap();
    app.until_free(&STREAMS, "streams", 1).await;
}

async fn until_the_client_goes_away(app: &App, client: &Client, path: &str) {
    client_goes_away(app, client, path).await;
    app.until_free(&STREAMS, "streams", 1).await;
}

/// Drops a response before its end, like a client that leaves. Servers notice this only when they send the next chunks, so a
/// stream that may be silent for long needs a heartbeat.
async fn client_goes_away(app: &App, client: &Client, path: &str) {
    let body = app.next_body();
    body.send(chunk(3)).await.unwrap();
    let mut response = client.request(path).send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some(), "{path}");
    drop(response);
    let sending = async { while body.send(chunk(3)).await.is_ok() {} };
    tokio::time::timeout(MINUTE, sending).await.expect("the body is not dropped");
}

/// The size of a body: more bytes than a server and the operating system buffer for a client that does not read.
pub(crate) const LARGE: usize = 64 * 1024 * 1024;

/// The response of `/large` has [`LARGE`] bytes in memory. It holds its permit while a slow client reads it.
pub(crate) async fn check_a_slow_client(serve: impl AsyncFn(App) -> SocketAddr) {
    everywhere(serve, async |app, client| {
        let mut response = client.request("/large").send().await.unwrap();
        assert_eq!(response.content_length(), u64::try_from(LARGE).ok());
        assert!(response.chunk().await.unwrap().is_some());
        assert_eq!(client.get("/whole").await.status, 429, "the client has not read the rest");
        drop(response);
        app.until_free(&STREAMS, "streams", 1).await;
        let response = client.request("/large").send().await.unwrap();
        assert_eq!(response.bytes().await.unwrap().len(), LARGE);
        app.until_free(&STREAMS, "streams", 1).await;
    })
    .await;
}

/// The server never polls the body of its answer to a HEAD request to `/head`, so the permit is returned at once.
pub(crate) async fn check_a_head_request(serve: impl AsyncFn(App) -> SocketAddr) {
    everywhere(serve, async |app, client| {
        let _body = app.next_body();
        assert_eq!(client.head("/head").send().await.unwrap().status(), 200);
        app.until_free(&STREAMS, "streams", 1).await;
    })
    .await;
}

async fn settled_by_what_was_sent(app: &App, client: &Client) {
    let body = app.next_body();
    body.send(chunk(1500)).await.unwrap();
    let mut response = client.request("/blocks").send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    assert_eq!(app.limits.peek(&BLOCKS, "blocks").await.unwrap().remaining(), 80, "reserved");
    drop(body);
    response.bytes().await.unwrap();
    app.until_free(&BLOCKS, "blocks", 98).await;
    // The cost of this body (50 units) is larger than the reserved cost (20 units).
    let body = app.next_body();
    let response = client.request("/blocks").send().await.unwrap();
    body.send(chunk(50_000)).await.unwrap();
    drop(body);
    assert_eq!(response.bytes().await.unwrap().len(), 50_000);
    app.until_free(&BLOCKS, "blocks", 48).await;
    client_goes_away(app, client, "/blocks").await;
    app.until_free(&BLOCKS, "blocks", 18).await;
}
