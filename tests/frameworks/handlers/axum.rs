//! Handlers of real axum applications. Each handler has its original signature and a body for this test. Types of other
//! crates are stand-ins with the same shape and bounds. A comment says what had to change, and which compiler message asked
//! for the change.

mod any_error;
mod server_functions;
mod signatures;

use crate::harness::client::{Client, Reply, Version};
use crate::harness::server::serve;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use ratelimit::RateLimitLayer;
use ratelimit::testing::TestLimiter;
use std::net::SocketAddr;

/// Serves an application that has no `RateLimitLayer`. Returns a client of it.
async fn bare(app: Router) -> Client {
    let limiter = TestLimiter::new();
    let scoped =
        move |request: Request, next: Next| ratelimit::scope(limiter.limiter().clone(), next.run(request));
    client(serve(app.layer(from_fn(scoped))).await)
}

/// Serves an application in a layer. Returns a client of it.
async fn layered(app: Router, layer: RateLimitLayer) -> Client {
    client(serve(app.layer(layer.limiter(TestLimiter::new().limiter().clone()))).await)
}

fn client(server: SocketAddr) -> Client {
    Client::new(server, Version::Http1)
}

/// Returns the status and `Retry-After` of a reply.
fn outcome(reply: &Reply) -> (u16, Option<&str>) {
    (reply.status, reply.header("retry-after"))
}

/// Asserts that a reply is this library's answer to a call that a limit of one minute has refused.
fn assert_refused(reply: &Reply) {
    assert_eq!(outcome(reply), (429, Some("60")), "{reply:?}");
    assert_eq!(reply.body, "too many requests: try again in 60 seconds");
}
