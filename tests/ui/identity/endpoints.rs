// A handler whose limit all clients share causes a warning, however little its signature says. A plain function causes none.

#![allow(unused_variables)]
#![deny(deprecated)]

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse};
use ratelimit::{Rejection, rate_limit};
use std::convert::Infallible;
use std::net::SocketAddr;
use tracing::instrument as handler;

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
async fn optional(page: Option<Path<u64>>) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5)]
async fn of_its_own(tenant: Tenant) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5)]
async fn response() -> Result<(StatusCode, Html<String>), Rejection> {
    Ok((StatusCode::OK, Html(String::new())))
}

#[rate_limit(count = 5)]
#[handler(skip_all)]
async fn with_a_router(peer: SocketAddr) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5)]
async fn plain(peer: SocketAddr, tenant: &Tenant, name: String) -> Result<StatusCode, Rejection> {
    Ok(StatusCode::OK)
}

#[rate_limit(count = 5, by = "global")]
async fn intended(tenant: Tenant) -> impl IntoResponse {}

fn main() {}
