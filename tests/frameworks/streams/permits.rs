//! axum: the contract of limits that end with a body, including streams of events, whose type cannot contain another body.
//! The permit becomes free however the body ends.

use super::contract::{self, BLOCKS, LARGE, STREAMS};
use super::server::{App, chunk};
use crate::harness::server;
use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{Stream, StreamExt};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use std::convert::Infallible;
use std::net::SocketAddr;

macro_rules! handlers {
    ($($name:ident => $returned:ty: |$app:pat_param| $body:expr;)*) => {
        $(#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
        async fn $name(State($app): State<App>) -> $returned {
            $body
        })*

        fn routes() -> Router<App> {
            Router::new()$(.route(concat!("/", stringify!($name)), get($name)))*
        }
    };
}

handlers! {
    download => Result<Response, Rejection>: |app| Ok(app.body().into_response());
    head => Response: |app| app.body().into_response();
    // As in axum's own example, only the signature names the type of the error.
    events => Sse<impl Stream<Item = Result<Event, Infallible>>>: |app| {
        Sse::new(ticks(&app).map(Ok)).keep_alive(KeepAlive::default())
    };
    fallible_events => Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Rejection>: |app| Ok(Sse::new(ticks(&app).map(Ok)));
    opaque_events => impl IntoResponse: |app| ([("x-stream", "1")], Sse::new(ticks(&app).map(Ok::<_, Infallible>)));
    inner_events => Result<impl IntoResponse, Rejection>: |app| Ok(Sse::new(ticks(&app).map(Ok::<_, Infallible>)));
    missing => Result<Response, Failed>: |_| Err(Failed::NotFound);
    whole => Result<Response, Rejection>: |_| Ok("whole".into_response());
    large => Result<Response, Rejection>: |_| Ok(vec![b'x'; LARGE].into_response());
    panics => Response: |app| {
        let is_free = app.limits.peek(&STREAMS, "streams").await.unwrap().remaining() == 1;
        assert!(is_free, "a panic that the test wants");
        app.body().into_response()
    };
}

fn ticks(app: &App) -> impl Stream<Item = Event> + Send + use<> {
    app.chunks().map(|_| Event::default().data("tick"))
}

/// The error of a handler that already has its permit.
enum Failed {
    Rejected(Rejection),
    NotFound,
}

impl From<Rejection> for Failed {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        match self {
            Self::Rejected(rejection) => rejection.into_response(),
            Self::NotFound => (axum::http::StatusCode::NOT_FOUND, "no such file").into_response(),
        }
    }
}

#[rate_limit(key = "blocks", limit = BLOCKS, by = "global", cost = 20, settle = contract::charge, until = "body_end")]
async fn blocks(State(app): State<App>) -> Response {
    app.body().into_response()
}

async fn serve(app: App) -> SocketAddr {
    let layer = RateLimitLayer::new().limiter(app.limits.clone());
    server::serve(routes().route("/blocks", get(blocks)).with_state(app).layer(layer)).await
}

#[tokio::test]
async fn keeps_the_contract_of_streams() {
    let streams = ["/download", "/events", "/fallible_events", "/opaque_events", "/inner_events"];
    contract::check(&streams, &[("/missing", 404), ("/whole", 200)], serve).await;
}

#[tokio::test]
async fn events_are_sent_as_they_are() {
    contract::everywhere(serve, async |app, client| {
        let body = app.next_body();
        let mut response = client.request("/events").send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        body.send(chunk(1)).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), "data: tick\n\n");
    })
    .await;
}

/// The permit becomes free when the client leaves, even if the test sends no further chunk of the body.
#[tokio::test]
async fn a_client_that_goes_away_frees_the_permit() {
    contract::everywhere(serve, async |app, client| {
        let body = app.next_body();
        let mut response = client.request("/download").send().await.unwrap();
        body.send(chunk(3)).await.unwrap();
        assert!(response.chunk().await.unwrap().is_some());
        assert_eq!(client.get("/download").await.status, 429);
        drop(response);
        app.until_free(&STREAMS, "streams", 1).await;
        assert!(body.is_closed(), "the server has dropped the body");
    })
    .await;
}

#[tokio::test]
async fn a_body_in_memory_holds_its_permit_while_a_slow_client_reads_it() {
    contract::check_a_slow_client(serve).await;
}

#[tokio::test]
async fn a_body_that_is_never_polled_frees_the_permit() {
    contract::check_a_head_request(serve).await;
}

#[tokio::test]
async fn a_panic_of_the_handler_frees_the_permit() {
    contract::everywhere(serve, async |app, client| {
        assert!(client.request("/panics").send().await.is_err());
        app.until_free(&STREAMS, "streams", 1).await;
    })
    .await;
}
