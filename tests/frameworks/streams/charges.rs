//! `settle` with `until = "body_end"` charges what was really sent.

use super::contract::{BLOCKS, VERSIONS, everywhere};
use super::server::{App, chunk};
use crate::harness::client::Version;
use crate::harness::server;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use ratelimit::body::BodySent;
use ratelimit::{Limit, rate_limit};
use std::net::SocketAddr;
use support::HOUR;

const FILES: Limit = Limit::counter(10, HOUR);

/// Charges for each started kilobyte that was sent. Before, a call is charged 20.
#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent| sent.blocks(1000), until = "body_end",
    limiter = app.limits
)]
async fn blocks(State(app): State<App>) -> Result<(HeaderMap, Body), StatusCode> {
    Ok((HeaderMap::new(), app.body()))
}

/// Charges for complete files only, and more for a large one: the closure moves a copy of an argument.
#[rate_limit(
    key = "files", by = "global", time = "1h", count = 10, settle = move |sent: BodySent| price * u32::from(sent.is_complete()),
    until = "body_end", limiter = app.limits
)]
async fn file(State(app): State<App>, Path(price): Path<u32>) -> Result<Response, StatusCode> {
    let response = Response::builder().header(CONTENT_LENGTH, 5);
    response.body(app.body()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent| sent.blocks(1000) + 1, until = "body_end",
    limiter = app.limits
)]
async fn missing(State(app): State<App>) -> Result<Body, StatusCode> {
    drop(app.chunks());
    Err(StatusCode::NOT_FOUND)
}

#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20,
    settle = |sent| panic!("a panic that the test wants: {sent:?}"),
    until = "body_end", limiter = app.limits
)]
async fn panics(State(app): State<App>) -> Result<Body, StatusCode> {
    Ok(app.body())
}

async fn serve(app: App) -> SocketAddr {
    let routes = Router::new()
        .route("/blocks", get(blocks))
        .route("/files/{price}", get(file))
        .route("/missing", get(missing))
        .route("/panics", get(panics));
    server::serve(routes.with_state(app)).await
}

#[tokio::test]
async fn what_was_sent_is_charged() {
    everywhere(&VERSIONS, serve, async |app, client| {
        let body = app.next_body();
        let response = client.request("/blocks").send().await.unwrap();
        app.until_free(&BLOCKS, "blocks", 80).await;
        body.send(chunk(2500)).await.unwrap();
        body.send(chunk(501)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 3001);
        app.until_free(&BLOCKS, "blocks", 96).await;
        let body = app.next_body();
        let response = client.request("/blocks").send().await.unwrap();
        body.send(chunk(50_000)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 50_000);
        app.until_free(&BLOCKS, "blocks", 46).await;
    })
    .await;
}

#[tokio::test]
async fn a_cut_response_is_charged_for_what_was_sent() {
    everywhere(&VERSIONS, serve, async |app, client| {
        let body = app.next_body();
        let mut response = client.request("/blocks").send().await.unwrap();
        body.send(chunk(2000)).await.unwrap();
        let mut received = 0;
        while received < 2000 {
            received += response.chunk().await.unwrap().unwrap().len();
        }
        drop(response);
        app.until_free(&BLOCKS, "blocks", 98).await;
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_handler_has_sent_nothing() {
    everywhere(&VERSIONS, serve, async |app, client| {
        assert_eq!(client.get("/missing").await.status, 404);
        app.until_free(&BLOCKS, "blocks", 99).await;
    })
    .await;
}

#[tokio::test]
async fn a_response_is_complete_when_its_content_length_was_sent() {
    // HTTP/2 reads the body to its end, HTTP/1.1 only as far as its length.
    for (version, needs_the_end) in [(Version::Http1, false), (Version::Http2, true)] {
        everywhere(&[version], serve, async |app, client| {
            let mut body = Some(app.next_body());
            let response = client.request("/files/3").send().await.unwrap();
            body.as_ref().unwrap().send(chunk(5)).await.unwrap();
            body = body.filter(|_| !needs_the_end);
            assert_eq!(response.bytes().await.unwrap().len(), 5);
            app.until_free(&FILES, "files", 7).await;
            drop(body);
            let body = app.next_body();
            let mut response = client.request("/files/3").send().await.unwrap();
            app.until_free(&FILES, "files", 6).await;
            body.send(chunk(4)).await.unwrap();
            assert_eq!(response.chunk().await.unwrap().unwrap().len(), 4);
            drop(response);
            app.until_free(&FILES, "files", 7).await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_function_that_panics_leaves_the_estimate() {
    everywhere(&VERSIONS, serve, async |app, client| {
        let body = app.next_body();
        let response = client.request("/panics").send().await.unwrap();
        body.send(chunk(1)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 1, "the response is not cut");
        app.until_free(&BLOCKS, "blocks", 80).await;
        assert_eq!(client.get("/missing").await.status, 404, "the server still runs");
    })
    .await;
}
