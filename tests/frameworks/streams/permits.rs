//! A permit is held while the body is sent, and free however the body ends.

use super::server::{App, chunk, everywhere};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{Limit, Rejection, rate_limit};
use std::time::Duration;

/// More bytes than a server and the operating system keep for a client that does not read.
const WHOLE: usize = 64 * 1024 * 1024;
const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));

#[rate_limit(key = "download", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn download(State(app): State<App>) -> Result<Response, Rejection> {
    Ok(app.body().into_response())
}

/// A body that is in memory, and larger than the buffers of a connection.
#[rate_limit(key = "download", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn whole(State(app): State<App>) -> Result<Response, Rejection> {
    Ok(vec![b'x'; WHOLE].into_response())
}

/// The error of a handler that has taken its permit.
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

#[rate_limit(key = "download", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn missing(State(app): State<App>) -> Result<Response, Failed> {
    drop(app.chunks());
    Err(Failed::NotFound)
}

#[rate_limit(key = "download", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", limiter = app.limits)]
async fn panics(State(app): State<App>) -> Result<Response, Rejection> {
    let body = app.body();
    assert!(app.limits.peek(&ONE, "download").await.unwrap().remaining() == 1, "a panic that the test wants");
    Ok(body.into_response())
}

fn router() -> Router<App> {
    Router::new()
        .route("/download", get(download))
        .route("/whole", get(whole))
        .route("/missing", get(missing))
        .route("/panics", get(panics))
}

#[tokio::test]
async fn a_permit_is_held_until_the_body_has_been_sent() {
    everywhere(router, async |site| {
        let body = site.app.next_body();
        let mut response = site.get("/download").await;
        assert_eq!(response.status(), 200);
        assert_eq!(
            site.status("/download").await,
            429,
            "the handler has returned, but its body has not ended"
        );
        body.send(chunk(3)).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap().len(), 3);
        assert_eq!(site.status("/download").await, 429, "the body is being sent");
        drop(body);
        assert!(response.bytes().await.unwrap().is_empty());
        site.app.until_free(&ONE, "download", 1).await;
        assert_eq!(site.status("/download").await, 200);
        site.app.until_free(&ONE, "download", 1).await;
    })
    .await;
}

#[tokio::test]
async fn a_client_that_goes_away_frees_the_permit() {
    everywhere(router, async |site| {
        let body = site.app.next_body();
        let mut response = site.get("/download").await;
        body.send(chunk(3)).await.unwrap();
        assert!(response.chunk().await.unwrap().is_some());
        assert_eq!(site.status("/download").await, 429);
        drop(response);
        site.app.until_free(&ONE, "download", 1).await;
        assert!(body.is_closed(), "the server has dropped the body");
    })
    .await;
}

#[tokio::test]
async fn a_body_in_memory_holds_its_permit_while_a_slow_client_reads_it() {
    everywhere(router, async |site| {
        let mut response = site.get("/whole").await;
        assert_eq!(response.headers()["content-length"], WHOLE.to_string());
        assert!(response.chunk().await.unwrap().is_some());
        assert_eq!(site.status("/download").await, 429, "the client has not read the rest");
        drop(response);
        site.app.until_free(&ONE, "download", 1).await;
        assert_eq!(site.get("/whole").await.bytes().await.unwrap().len(), WHOLE);
        site.app.until_free(&ONE, "download", 1).await;
    })
    .await;
}

#[tokio::test]
async fn a_body_that_is_never_polled_frees_the_permit() {
    everywhere(router, async |site| {
        let _body = site.app.next_body();
        assert_eq!(site.head("/download").await.status(), 200);
        site.app.until_free(&ONE, "download", 1).await;
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_handler_frees_the_permit_at_once() {
    everywhere(router, async |site| {
        for _ in 0..3 {
            assert_eq!(site.status("/missing").await, 404);
            site.app.until_free(&ONE, "download", 1).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_panic_of_the_handler_frees_the_permit() {
    everywhere(router, async |site| {
        let url = format!("http://{}/panics", site.address);
        assert!(site.client.get(url).send().await.is_err());
        site.app.until_free(&ONE, "download", 1).await;
    })
    .await;
}
