//! axum: the contract, over HTTP/1.1 and HTTP/2.

use crate::harness::client::Version;
use crate::harness::contract::{self, AppError, User, in_context, layer};
use crate::harness::server;
use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, debug_handler};
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::convert::Infallible;
use std::net::SocketAddr;

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

#[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
async fn key(_: HeaderMap) -> Result<(), Rejection> {
    Ok(())
}

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.get("x-user").map(|user| user.to_str().unwrap().to_owned())))
    }
}

#[rate_limit(key = "user", count = 1, by = "user")]
async fn user(_: User) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
#[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
async fn stack(_: ConnectInfo<SocketAddr>) -> Result<(), Rejection> {
    Ok(())
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

async fn upload(_: String) {}

async fn serve(limiter: RateLimiter) -> SocketAddr {
    let app = Router::new()
        .route("/login", get(login))
        .route("/above", get(above))
        .route("/below", get(below))
        .route("/key", get(key))
        .route("/user", get(user))
        .route("/stack", get(stack))
        .route("/context", get(in_context))
        .route("/spawned", get(spawned))
        .route("/swallowed", get(swallowed))
        .route("/layered", get(plain).layer(layer("layered")))
        .route("/upload", post(upload).layer(layer("upload")))
        .route("/slow", get(contract::slow).layer(layer("slow")))
        .route("/plain", get(plain))
        .layer(RateLimitLayer::new().limiter(limiter));
    server::serve(app).await
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(&[Version::Http1, Version::Http2], serve).await;
}
