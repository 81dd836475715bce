//! Tests of each web framework: limited handlers behind a real server, called by a real client on loopback.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in helpers of tests: a panic is a failed test"
)]
#![allow(clippy::unused_async, reason = "handlers are async functions")]

mod actix;
mod axum;
mod bad_input;
mod behind_nginx;
mod handlers;
mod harness;
mod layer;
mod openapi;
mod poem;
mod recovering_client;
mod rocket;
mod salvo;
#[cfg(unix)]
mod shutdown;
mod streams;
mod tonic;
mod user_or_address;
mod whole_routers;
