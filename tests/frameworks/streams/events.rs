//! Streams of events: axum's `Sse`, whose type cannot contain another body.

use super::server::{App, everywhere};
use axum::Router;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::{Stream, StreamExt};
use ratelimit::{Limit, Rejection, rate_limit};
use std::convert::Infallible;
use std::time::Duration;

const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));

fn events(app: &App) -> impl Stream<Item = Event> + Send + use<> {
    app.chunks().map(|_| Event::default().data("tick"))
}

/// As in axum's own example: the type of the error is only in the signature.
#[rate_limit(key = "events", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn plain(State(app): State<App>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(events(&app).map(Ok)).keep_alive(KeepAlive::default())
}

#[rate_limit(key = "events", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn fallible(
    State(app): State<App>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Rejection> {
    Ok(Sse::new(events(&app).map(Ok)))
}

#[rate_limit(key = "events", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn opaque(State(app): State<App>) -> impl IntoResponse {
    ([("x-stream", "1")], Sse::new(events(&app).map(Ok::<_, Infallible>)))
}

#[rate_limit(key = "events", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn inner(State(app): State<App>) -> Result<impl IntoResponse, Rejection> {
    Ok(Sse::new(events(&app).map(Ok::<_, Infallible>)))
}

fn router() -> Router<App> {
    Router::new()
        .route("/plain", get(plain))
        .route("/fallible", get(fallible))
        .route("/opaque", get(opaque))
        .route("/inner", get(inner))
}

#[tokio::test]
async fn a_permit_is_held_while_events_are_sent() {
    everywhere(router, async |site| {
        for path in ["/plain", "/fallible", "/opaque", "/inner"] {
            let body = site.app.next_body();
            let mut response = site.get(path).await;
            assert_eq!(response.headers()["content-type"], "text/event-stream");
            body.send(super::server::chunk(1)).await.unwrap();
            assert_eq!(response.chunk().await.unwrap().unwrap(), "data: tick\n\n");
            for other in ["/plain", "/fallible", "/opaque", "/inner"] {
                let refused = site.get(other).await;
                assert_eq!(refused.status(), 429);
                assert!(!refused.headers().contains_key("retry-after"), "nobody knows when the stream ends");
            }
            drop(response);
            site.app.until_free(&ONE, "events", 1).await;
        }
    })
    .await;
}
