//! Handlers of applications on actix-web. Their own types are stand-ins, their bodies are short.

mod errors;
mod logins;
mod sessions;

use crate::actix::server;
use crate::harness::client::{Client, Reply, Version};
use actix_web::web::ServiceConfig;
use ratelimit::{RateLimitLayer, RateLimiter};
use serde_json::Value;

/// A client of these routes, in a layer with its own limiter.
fn client(routes: fn(&mut ServiceConfig)) -> Client {
    client_in(RateLimitLayer::new(), routes)
}

fn client_in(layer: RateLimitLayer, routes: fn(&mut ServiceConfig)) -> Client {
    Client::new(server::start(layer.limiter(RateLimiter::in_memory()), routes), Version::Http1)
}

async fn post_json(client: &Client, path: &str, body: &Value) -> Reply {
    let request = client.post(path).header("content-type", "application/json").body(body.to_string());
    Reply::read(request.send().await.unwrap()).await
}

/// A refusal that says when to try again.
fn assert_refused(reply: &Reply) {
    let wait = reply.header("retry-after").expect("Retry-After").parse::<u64>().unwrap();
    assert_eq!((reply.status, (1..=60).contains(&wait)), (429, true), "{reply:?}");
}
