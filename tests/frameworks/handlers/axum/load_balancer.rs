//! A handler of crates.io behind a load balancer: the limiter reports an untrusted one.

use super::{assert_refused, client, layered, serve};
use crate::harness::client::{Client, Reply};
use axum::Router;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{RateLimitLayer, RateLimiter, rate_limit};

#[rate_limit(key = "readme", count = 1, by = "ip")]
async fn get_version_readme(req: Parts) -> Response {
    req.uri.to_string().into_response()
}

fn app() -> Router {
    Router::new().route("/readme", get(get_version_readme))
}

async fn through(balancer: &Client, client: &str) -> Reply {
    balancer.get_with("/readme", &[("x-forwarded-for", client)]).await
}

/// Without trusted proxies, the limiter logs what is wrong. With them, the handler is right as it stands.
#[tokio::test]
async fn the_load_balancer_is_reported_or_trusted() {
    let _ = support::take_events();
    let untrusted = layered(app(), RateLimitLayer::new()).await;
    assert_eq!(through(&untrusted, "203.0.113.7").await.status, 200);
    assert_refused(&through(&untrusted, "203.0.113.8").await);
    let events = support::take_events();
    let warned = |words: &str| events.iter().any(|event| event.to_string().contains(words));
    assert!(warned("requests come through a proxy that is not trusted"), "{events:?}");
    assert!(warned("`.trusted_proxies(..)`"), "{events:?}");

    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).connect().await.unwrap();
    let trusted = client(serve(app().layer(RateLimitLayer::new().limiter(limiter))).await);
    assert_eq!(through(&trusted, "203.0.113.7").await.status, 200);
    assert_eq!(through(&trusted, "203.0.113.7").await.status, 429);
    assert_eq!(through(&trusted, "203.0.113.8").await.status, 200);
}
