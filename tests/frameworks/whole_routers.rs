//! Limits of whole routers of axum: the body of a refused request is never read.

use crate::harness::limiters::limiters;
use crate::harness::server::serve;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::post;
use ratelimit::{By, Limit, RateLimitLayer, rate_limit};
use std::net::SocketAddr;
use support::MINUTE;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The attribute on a middleware function.
#[rate_limit(key = "middleware", count = 1, by = "ip")]
async fn limited(request: Request, next: Next) -> Response {
    next.run(request).await
}

/// Sends only the head of a request with a body of a gigabyte. Returns the first line of the response. A server answers 100 when
/// it starts to read the body.
async fn first_line(server: SocketAddr) -> String {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1073741824\r\nexpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        line.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(line).unwrap()
}

async fn accepts_large_bodies(request: Request) -> String {
    let body = axum::body::to_bytes(request.into_body(), usize::MAX).await;
    format!("{:?}", body.map(|body| body.len()))
}

#[tokio::test]
async fn a_refused_client_is_not_asked_for_its_body() {
    let layer = RateLimitLayer::new().limit("large", Limit::counter(1, MINUTE), By::ip());
    let bare = || Router::new().route("/", post(accepts_large_bodies));
    for router in [bare().layer(layer), bare().layer(from_fn(limited))] {
        for limiter in limiters().await {
            let server = serve(router.clone().layer(RateLimitLayer::new().limiter(limiter))).await;
            assert_eq!(first_line(server).await, "HTTP/1.1 100 Continue\r\n");
            assert_eq!(first_line(server).await, "HTTP/1.1 429 Too Many Requests\r\n");
        }
    }
}
