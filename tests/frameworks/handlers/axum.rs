//! Handlers of real axum applications. Each has its real signature and a body of this test; types of other crates are stand-ins
//! with the same shape and bounds. A comment says what had to change, and which message said so.

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

/// A client of an application that has no `RateLimitLayer`.
async fn bare(app: Router) -> Client {
    let limiter = TestLimiter::new();
    let scoped =
        move |request: Request, next: Next| ratelimit::scope(limiter.limiter().clone(), next.run(request));
    client(serve(app.layer(from_fn(scoped))).await)
}

/// A client of an application in a layer.
async fn layered(app: Router, layer: RateLimitLayer) -> Client {
    client(serve(app.layer(layer.limiter(TestLimiter::new().limiter().clone()))).await)
}

fn client(server: SocketAddr) -> Client {
    Client::new(server, Version::Http1)
}

/// Status and `Retry-After`.
fn outcome(reply: &Reply) -> (u16, Option<&str>) {
    (reply.status, reply.header("retry-after"))
}

/// The answer of this library to a call that a limit of one minute has refused.
fn assert_refused(reply: &Reply) {
    assert_eq!(outcome(reply), (429, Some("60")), "{reply:?}");
    assert_eq!(reply.body, "too many requests: try again in 60 seconds");
}
