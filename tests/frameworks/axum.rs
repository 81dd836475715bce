//! Tests of axum: the contract over HTTP/1.1 and HTTP/2, and unix sockets.

use crate::harness::contract::{self, AppError, User, in_context, layer};
use crate::harness::server;
#[cfg(target_os = "linux")]
use crate::harness::unix;
use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router, debug_handler};
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use std::convert::Infallible;
use std::net::SocketAddr;
use support::limited;
use tokio::net::UnixListener;

#[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
async fn login(_: ConnectInfo<SocketAddr>) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

#[rate_limit(key = "above", count = 1, by = "ip")]
#[debug_handler]
async fn above(_: Request) -> Response {
    "welcome".into_response()
}

#[debug_handler]
#[rate_limit(key = "below", count = 1, by = "ip")]
async fn below(_: ConnectInfo<SocketAddr>) -> impl IntoResponse {
    "welcome"
}

limited! {
    #[rate_limit(key = "key", count = 1, by = "header:x-api-key")] key(_: HeaderMap);
    #[rate_limit(key = "user", count = 1, by = "user")] user(_: User);
    #[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
    #[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
    stack(_: ConnectInfo<SocketAddr>);
}

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.get("x-user").map(|user| user.to_str().unwrap().to_owned())))
    }
}

async fn spawned() -> Result<(), Rejection> {
    tokio::spawn(in_context()).await.unwrap()
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, "something went wrong").into_response()
    }
}

#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_: ConnectInfo<SocketAddr>) -> Result<(), AppError> {
    Ok(())
}

async fn plain() {}

async fn met() -> String {
    contract::met()
}

async fn upload(_: String) {}

fn app(outermost: RateLimitLayer) -> Router {
    Router::new()
        .route("/login", get(login))
        .route("/above", get(above))
        .route("/below", get(below))
        .route("/key", get(key))
        .route("/user", get(user))
        .route("/stack", get(stack))
        .route("/context", get(in_context))
        .route("/spawned", get(spawned))
        .route("/swallowed", get(swallowed))
        .route("/plain", get(plain))
        .route("/layered", get(met).layer((layer("outer"), layer("inner"))))
        .route("/formed", get(in_context).layer(layer("formed")))
        .route("/upload", post(upload).layer(layer("upload")))
        .route("/slow", get(contract::slow).layer(layer("slow")))
        .layer(outermost)
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(async |layer| server::serve(app(layer)).await).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_unix_socket_can_be_a_trusted_proxy_if_the_server_says_that_it_is_one() {
    for is_marked in [true, false] {
        unix::check(is_marked, |listener, layer| {
            let app = if is_marked { app(layer).layer(Extension(PeerAddr::Unix)) } else { app(layer) };
            let listener = UnixListener::from_std(listener).unwrap();
            tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        })
        .await;
    }
}
