//! `settle` with `until = "body_end"` charges what was really sent.

use super::contract::{BLOCKS, STREAMS, everywhere};
use super::server::{App, chunk};
use crate::harness::client::Version;
use crate::harness::server;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::body::BodySent;
use ratelimit::{Limit, Rejection, rate_limit};
use std::net::SocketAddr;
use support::HOUR;

const FILES: Limit = Limit::counter(10, HOUR);

/// Charges `price` units for a complete file and none for a cut one. The closure moves a copy of an argument.
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

/// Takes a permit and a charge without the attribute.
async fn by_hand(State(app): State<App>) -> Result<Response, Rejection> {
    let permit = app.limits.permit(&STREAMS, "streams").await?;
    let charge = app.limits.charge(&FILES, "files", 1).await?;
    let response = charge.settle_on_end(app.body().into_response(), |sent| sent.blocks(100));
    Ok(permit.hold(response))
}

async fn serve(app: App) -> SocketAddr {
    let routes = Router::new()
        .route("/files/{price}", get(file))
        .route("/missing", get(missing))
        .route("/panics", get(panics))
        .route("/by_hand", get(by_hand));
    server::serve(routes.with_state(app)).await
}

#[tokio::test]
async fn an_error_of_the_handler_has_sent_nothing() {
    everywhere(serve, async |app, client| {
        assert_eq!(client.get("/missing").await.status, 404);
        app.until_free(&BLOCKS, "blocks", 99).await;
    })
    .await;
}

#[tokio::test]
async fn a_response_is_complete_when_its_content_length_was_sent() {
    everywhere(serve, async |app, client| {
        let mut body = Some(app.next_body());
        let response = client.request("/files/3").send().await.unwrap();
        body.as_ref().unwrap().send(chunk(5)).await.unwrap();
        // Over HTTP/1.1, the server reads only as many bytes as `content-length` says, so the body may stay open. Over
        // HTTP/2, the server reads until the body ends, so the test ends it.
        body = body.filter(|_| client.version == Version::Http1);
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

#[tokio::test]
async fn a_function_that_panics_leaves_the_estimate() {
    everywhere(serve, async |app, client| {
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

#[tokio::test]
async fn a_response_holds_a_permit_and_a_charge_by_hand() {
    everywhere(serve, async |app, client| {
        let body = app.next_body();
        let response = client.request("/by_hand").send().await.unwrap();
        app.until_free(&STREAMS, "streams", 0).await;
        app.until_free(&FILES, "files", 9).await;
        body.send(chunk(300)).await.unwrap();
        drop(body);
        assert_eq!(response.bytes().await.unwrap().len(), 300);
        app.until_free(&FILES, "files", 7).await;
        app.until_free(&STREAMS, "streams", 1).await;
    })
    .await;
}
