//! Headers of the `http` crate: the limiter reads all lines of a header, also through references and smart pointers.

use super::{limiter, peer};
use axum::http::{HeaderMap, HeaderValue, Request};
use ratelimit::identity::RequestHeaders;
use std::sync::Arc;

/// Headers with two lines: one that a client has sent, and one that the proxy has added.
fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.append("x-forwarded-for", HeaderValue::from_static("6.6.6.6"));
    headers.append("x-other", HeaderValue::from_static("6.6.6.6"));
    headers.append("X-Forwarded-For", HeaderValue::from_static("203.0.113.7"));
    headers
}

#[tokio::test]
async fn all_lines_are_read() {
    let limiter = limiter(|builder| builder.trusted_proxies(["10.0.0.0/8"])).await;
    let client =
        |headers: &dyn RequestHeaders| limiter.client_ip(peer("10.0.0.1"), &headers).unwrap().to_string();
    let mut map = headers();
    assert_eq!(client(&map), "203.0.113.7");
    assert_eq!(client(&&mut map), "203.0.113.7");
    assert_eq!(client(&Arc::new(headers())), "203.0.113.7");
    let boxed: Box<dyn RequestHeaders> = Box::new(headers());
    assert_eq!(client(&boxed), "203.0.113.7");
    let mut request = Request::new(());
    *request.headers_mut() = headers();
    assert_eq!(client(&request), "203.0.113.7");
    assert_eq!(client(&request.into_parts().0), "203.0.113.7");
}
