//! Tests `StatusError`. The catcher of salvo writes the body of the answer outside the layer.

use super::server;
use crate::harness::client::{Client, Reply, Version};
use crate::harness::contract::in_context;
use crate::harness::limiters::failing;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use salvo::catcher::Catcher;
use salvo::http::ResBody;
use salvo::prelude::*;

#[handler]
#[rate_limit(key = "status error", time = "1m", count = 1, by = "header:x-api-key")]
async fn limited(_: &mut Request) -> Result<Json<u8>, StatusError> {
    Ok(Json(1))
}

/// Returns only a status. The catcher writes a page for it.
#[handler]
#[rate_limit(key = "status", time = "1m", count = 1, by = "header:x-api-key")]
async fn status(_: &mut Request) -> Result<(), StatusCode> {
    Ok(())
}

#[handler]
async fn swallowed() -> Result<(), StatusError> {
    in_context().await.map_err(|_| StatusError::internal_server_error())
}

fn routes() -> Router {
    Router::new()
        .push(Router::with_path("limited").get(limited))
        .push(Router::with_path("status").get(status))
        .push(Router::with_path("swallowed").get(swallowed))
}

async fn ask(client: &Client, path: &str, accept: &str) -> Reply {
    client.get_with(path, &[("x-api-key", "key"), ("accept", accept)]).await
}

fn layer(limiter: RateLimiter) -> RateLimitLayer {
    RateLimitLayer::new().limiter(limiter)
}

#[tokio::test]
async fn the_catcher_writes_the_body_and_the_layer_the_header_fields() {
    let client =
        Client::new(server::start(routes().hoop(layer(RateLimiter::in_memory()))).await, Version::Http1);
    for path in ["/limited", "/status"] {
        assert_eq!(ask(&client, path, "*/*").await.status, 200, "{path}");
        for content_type in ["application/json", "text/html"] {
            let refused = ask(&client, path, content_type).await;
            assert_eq!((refused.status, refused.header("content-type")), (429, Some(content_type)), "{path}");
            assert!(
                refused.header("retry-after").is_some() && refused.header("ratelimit").is_some(),
                "{refused:?}"
            );
            let brief = refused.body.contains("too many requests: try again in ");
            assert_eq!(brief, path != "/status", "{refused:?}");
        }
        let unidentified = client.get(path).await;
        assert_eq!((unidentified.status, unidentified.header("retry-after")), (400, None), "{path}");
    }
    let unlucky = Client::new(server::start(routes().hoop(layer(failing().await))).await, Version::Http1);
    for path in ["/limited", "/status"] {
        let unavailable = ask(&unlucky, path, "application/json").await;
        assert_eq!((unavailable.status, unavailable.header("retry-after")), (503, Some("1")), "{path}");
    }
}

#[tokio::test]
async fn a_swallowed_refusal_gets_the_right_status_and_page() {
    for (correct, expected, page) in [(false, 500, "Internal Server Error"), (true, 429, "Too Many Requests")]
    {
        let layer = layer(RateLimiter::in_memory()).correct_status(correct);
        let client = Client::new(server::start(routes().hoop(layer)).await, Version::Http1);
        assert_eq!(ask(&client, "/swallowed", "*/*").await.status, 200);
        let refused = ask(&client, "/swallowed", "application/json").await;
        assert_eq!(refused.status, expected);
        assert!(refused.body.contains(page) && refused.header("retry-after").is_some(), "{refused:?}");
    }
}

/// A catcher of the application that finds the rejection.
#[handler]
async fn catch(res: &mut Response, ctrl: &mut FlowCtrl) {
    let ResBody::Error(error) = &res.body else { return };
    let Some(Rejection::Limited(refusal)) = Rejection::find(error) else { return };
    let seconds = refusal.retry_after_secs().unwrap();
    res.headers_mut().insert("retry-after", seconds.into());
    res.render(format!("slow down for {seconds} s"));
    ctrl.skip_rest();
}

/// Without the layer, a `StatusError` has no `Retry-After`.
#[tokio::test]
async fn a_catcher_of_the_application_finds_the_rejection() {
    let limiter = RateLimiter::in_memory();
    let routes = || Router::new().hoop(super::answers::Scoped(limiter.clone())).push(routes());
    let client = Client::new(server::start(routes()).await, Version::Http1);
    assert_eq!(ask(&client, "/limited", "*/*").await.status, 200);
    let refused = ask(&client, "/limited", "*/*").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, None));
    let service = Service::new(routes()).catcher(Catcher::default().hoop(catch));
    let client = Client::new(server::start(service).await, Version::Http1);
    let refused = ask(&client, "/limited", "*/*").await;
    assert_eq!(refused.body, format!("slow down for {} s", refused.header("retry-after").unwrap()));
}
