//! Tests what the layer around a gRPC server writes on the wire. The clients use plain HTTP.

use super::service::{LimitsServer, Service, serve_in};
use crate::harness::server::serve;
use http::HeaderMap;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter};
use std::net::SocketAddr;
use support::MINUTE;
use tonic::service::Routes;

/// Returns a layer that admits one request of each client.
fn once() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory()).limit("once", Limit::counter(1, MINUTE), By::ip())
}

/// Sends a request with a content type over HTTP/2. Returns the status, the headers and the body of the response.
async fn post(server: SocketAddr, path: &str, content_type: &str) -> (u16, HeaderMap, Vec<u8>) {
    let client = reqwest::Client::builder().http2_prior_knowledge().no_proxy().build().unwrap();
    // An empty message: not compressed, of length zero.
    let request = client.post(format!("http://{server}{path}")).body(vec![0; 5]);
    let response = request
        .header("content-type", content_type)
        .header("te", "trailers")
        .header("x-token-bin", "YQ")
        .send()
        .await
        .unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    (status, headers, response.bytes().await.unwrap().to_vec())
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_refused_grpc_request_is_answered_by_headers_alone() {
    for (sent, answered) in [
        ("application/grpc", "application/grpc"),
        ("application/grpc+proto", "application/grpc"),
        ("application/grpc-web+proto", "application/grpc-web+proto"),
        ("application/grpc-web-text", "application/grpc-web-text+proto"),
    ] {
        let server = serve_in(once()).await;
        let path = "/test.Limits/Plain";
        let (status, headers, _) = post(server, path, "application/grpc").await;
        assert_eq!((status, text(&headers, "content-type")), (200, Some("application/grpc")));
        assert_eq!((text(&headers, "grpc-status"), text(&headers, "ratelimit")), (None, None), "{headers:?}");

        let (status, headers, body) = post(server, path, sent).await;
        assert_eq!((status, body.as_slice()), (200, b"".as_slice()), "{sent}");
        assert_eq!(text(&headers, "content-type"), Some(answered), "{sent}");
        assert_eq!(text(&headers, "grpc-status"), Some("8"), "{sent}: {headers:?}");
        let message = text(&headers, "grpc-message").unwrap();
        assert!(message.starts_with("too%20many%20requests"), "{message}");
        assert!(text(&headers, "grpc-retry-pushback-ms").unwrap().parse::<u32>().unwrap() <= 60_000);
        for name in ["retry-after", "ratelimit", "ratelimit-policy"] {
            assert_eq!(text(&headers, name), None, "{sent}");
        }
    }
}

/// A server may have gRPC routes and other routes. They share the limit of the layer, and each refusal uses the protocol of
/// its request.
#[tokio::test]
async fn other_requests_are_answered_by_http() {
    let routes = Routes::new(LimitsServer::new(Service)).into_axum_router();
    let app = routes.route("/health", axum::routing::get(async || "fine")).layer(once());
    let server = serve(app).await;
    let get = async || reqwest::get(format!("http://{server}/health")).await.unwrap();
    assert_eq!(get().await.status(), 200);
    let refused = get().await;
    assert_eq!((refused.status().as_u16(), text(refused.headers(), "grpc-status")), (429, None));
    assert!(text(refused.headers(), "retry-after").is_some());
    assert!(refused.text().await.unwrap().starts_with("too many requests"));
    // The content type `application/grpcs` only begins like that of gRPC, so such a request is refused with a plain HTTP
    // response.
    for (content_type, expected) in [("application/grpc", 200), ("application/grpcs", 429)] {
        let (status, ..) = post(server, "/test.Limits/Plain", content_type).await;
        assert_eq!(status, expected, "{content_type}");
    }
}

/// Binary metadata has several spellings. If such metadata identified a client, the client could avoid a limit with another
/// spelling.
#[tokio::test]
async fn a_binary_header_of_grpc_identifies_nobody() {
    let by_header = |name| {
        let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory());
        serve_in(layer.limit("header", Limit::counter(1, MINUTE), By::header(name)))
    };
    for (name, expected) in [("te", None), ("x-token-bin", Some("16"))] {
        let server = by_header(name).await;
        let (_, headers, _) = post(server, "/test.Limits/Plain", "application/grpc").await;
        assert_eq!(text(&headers, "grpc-status"), expected, "{name}");
    }
}
