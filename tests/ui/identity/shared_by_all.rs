// A handler whose limit all clients share causes a warning.

#![allow(unused_variables)]
#![deny(unused_must_use)]

use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse};
use ratelimit::{Rejection, rate_limit};
use std::convert::Infallible;
use std::net::SocketAddr;
use tracing::instrument as handler;

#[rate_limit(count = 5)]
async fn a(request: Request) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "b", count = 5)]
async fn b(State(state): State<u32>, headers: &HeaderMap) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5, by = "global")]
async fn c(request: Request) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "d:{id}", count = 5)]
async fn d(Path(id): Path<u32>) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5, algorithm = "concurrency")]
async fn e(request: Request) -> Result<(), Rejection> { Ok(()) }

struct User;

impl ratelimit::UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(7)
    }
}

#[rate_limit(count = 5)]
async fn f(user: User) -> Result<(), Rejection> { Ok(()) }

// A handler whose limit all clients share causes a warning, however little its signature says. A plain function causes none.

struct Tenant;

impl<S: Sync> FromRequestParts<S> for Tenant {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Tenant)
    }
}

#[rate_limit(count = 5)]
async fn opaque() -> impl IntoResponse {}
#[rate_limit(count = 5)]
async fn optional(page: Option<Path<u64>>) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5)]
async fn of_its_own(tenant: Tenant) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5)]
async fn response() -> Result<(StatusCode, Html<String>), Rejection> { Ok((StatusCode::OK, Html(String::new()))) }
#[rate_limit(count = 5)]
#[handler(skip_all)]
async fn with_a_router(peer: SocketAddr) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5)]
async fn plain(peer: SocketAddr, tenant: &Tenant, name: String) -> Result<StatusCode, Rejection> { Ok(StatusCode::OK) }
#[rate_limit(count = 5, by = "global")]
async fn intended(tenant: Tenant) -> impl IntoResponse {}

fn main() {}
