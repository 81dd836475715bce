//! `until = "body_end"`: permits and charges that last as long as a response of poem.

use super::server;
use crate::harness::client::{Client, Version};
use crate::harness::limiters::limiters;
use crate::streams::server::{App, chunk};
use futures_util::StreamExt;
use poem::http::{HeaderMap, StatusCode};
use poem::web::Data;
use poem::web::sse::{Event, SSE};
use poem::{Body, EndpointExt, IntoResponse, Response, Route, get, handler};
use poem_openapi::payload::Binary;
use poem_openapi::{OpenApi, OpenApiService};
use ratelimit::{Limit, RateLimitLayer, Rejection, Sent, rate_limit};
use std::time::Duration;

const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));

fn download(app: &App) -> Body {
    Body::from_bytes_stream(app.chunks())
}

fn ticks(app: &App) -> SSE {
    SSE::new(app.chunks().map(|_| Event::message("tick"))).keep_alive(support::HOUR)
}

/// Declares handlers that share one permit, each in its own form.
macro_rules! handlers {
    ($($name:ident => $returned:ty: |$app:ident| $body:expr;)*) => {
        $(#[handler]
        #[rate_limit(key = "download", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
        async fn $name(Data($app): Data<&App>) -> $returned {
            $body
        })*

        const PATHS: &[&str] = &[$(concat!("/", stringify!($name))),*, "/api/binary"];

        fn routes() -> Route {
            Route::new()$(.at(concat!("/", stringify!($name)), get($name)))*
        }
    };
}

handlers! {
    plain => Response: |app| download(app).into_response();
    or_rejection => Result<Response, Rejection>: |app| Ok(download(app).into_response());
    body_or_error => poem::Result<Body>: |app| Ok(download(app));
    parts => Result<(StatusCode, HeaderMap, Body), Rejection>: |app| Ok((StatusCode::OK, HeaderMap::new(), download(app)));
    opaque => impl IntoResponse: |app| download(app);
    events => impl IntoResponse: |app| ticks(app);
    events_or_rejection => Result<impl IntoResponse, Rejection>: |app| Ok(ticks(app));
    events_or_error => poem::Result<impl IntoResponse>: |app| Ok((StatusCode::OK, ticks(app)));
}

#[handler]
#[rate_limit(
    key = "bytes", by = "global", count = 100, cost = 50, until = "body_end",
    settle = |sent: Sent| u32::from(sent.is_complete()) + sent.blocks(1)
)]
async fn counted(Data(app): Data<&App>) -> Result<Response, Rejection> {
    Ok(download(app).into_response())
}

#[handler]
#[rate_limit(key = "fixed", by = "global", count = 100, until = "body_end", settle = |sent: Sent| sent.blocks(1))]
async fn fixed(_: Data<&App>) -> Result<Response, Rejection> {
    Ok("welcome".into_response())
}

struct Api;

#[OpenApi]
impl Api {
    /// The payload of poem-openapi contains the body that holds the permit.
    #[oai(path = "/binary", method = "get")]
    async fn binary(&self, app: Data<&App>) -> poem::Result<Binary<Body>> {
        let permit = app.limits.permit(&ONE, "download").await?;
        Ok(Binary(permit.hold(download(app.0))))
    }
}

/// Runs a test with each store and each version of HTTP.
async fn everywhere(test: impl AsyncFn(&App, &Client, Version)) {
    for limiter in limiters().await {
        for version in [Version::Http1, Version::Http2] {
            let app = App::new(limiter.clone());
            let routes = routes()
                .at("/counted", get(counted))
                .at("/fixed", get(fixed))
                .nest("/api", OpenApiService::new(Api, "streams", "1.0"));
            let layer = RateLimitLayer::new().limiter(limiter.clone());
            let server = server::start(routes.data(app.clone()).with(layer)).await;
            test(&app, &Client::new(server, version), version).await;
        }
    }
}

#[tokio::test]
async fn a_permit_is_held_until_the_body_has_been_sent() {
    everywhere(async |app, client, _| {
        for path in PATHS {
            let body = app.next_body();
            let mut response = client.request(path).send().await.unwrap();
            assert_eq!(response.status(), 200, "{path}");
            body.send(chunk(3)).await.unwrap();
            assert!(response.chunk().await.unwrap().is_some(), "{path}");
            for other in PATHS {
                let refused = client.get(other).await;
                assert_eq!(refused.status, 429, "{path} {other}");
                assert!(refused.header("retry-after").is_none(), "{path} {other}");
            }
            drop(body);
            assert!(response.bytes().await.unwrap().is_empty(), "{path}");
            app.until_free(&ONE, "download", 1).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_goes_away_frees_the_permit() {
    everywhere(async |app, client, version| {
        for path in PATHS {
            let body = app.next_body();
            let mut response = client.request(path).send().await.unwrap();
            body.send(chunk(3)).await.unwrap();
            assert!(response.chunk().await.unwrap().is_some(), "{path}");
            app.until_free(&ONE, "download", 0).await;
            drop(response);
            if matches!(version, Version::Http1) {
                // poem's server drops the body of a client that went away when it has yielded its next chunk.
                while !body.is_closed() {
                    let _ = body.try_send(chunk(3));
                    tokio::task::yield_now().await;
                }
            }
            app.until_free(&ONE, "download", 1).await;
            assert!(body.is_closed(), "{path}: the server has dropped the body");
        }
    })
    .await;
}

#[tokio::test]
async fn a_call_costs_what_was_sent() {
    let bytes = Limit::counter(100, support::MINUTE);
    everywhere(async |app, client, _| {
        app.limits.reset(&bytes, "bytes").await.unwrap();
        let body = app.next_body();
        let mut response = client.request("/counted").send().await.unwrap();
        body.send(chunk(7)).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap().len(), 7);
        assert_eq!(app.limits.peek(&bytes, "bytes").await.unwrap().remaining(), 50, "reserved");
        drop(body);
        assert!(response.bytes().await.unwrap().is_empty());
        app.until_free(&bytes, "bytes", 100 - 7 - 1).await;
    })
    .await;
}

/// The server still knows the length of a body that is not a stream.
#[tokio::test]
async fn a_body_keeps_its_length() {
    let bytes = Limit::counter(100, support::MINUTE);
    everywhere(async |app, client, _| {
        app.limits.reset(&bytes, "fixed").await.unwrap();
        let reply = client.get("/fixed").await;
        assert_eq!((reply.header("content-length"), reply.body.as_str()), (Some("7"), "welcome"));
        app.until_free(&bytes, "fixed", 93).await;
    })
    .await;
}
