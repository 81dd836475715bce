//! Limits of whole routers of axum: the body of a refused request is never read.

use crate::harness::limiters::limiters;
use crate::harness::server::serve;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use futures_util::stream;
use http::StatusCode;
use ratelimit::identity::PeerAddr;
use ratelimit::{By, Limit, RateLimitLayer, rate_limit};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::MINUTE;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;

/// The attribute on a middleware function.
#[rate_limit(key = "middleware", count = 1, by = "ip")]
async fn limited(request: Request, next: Next) -> Response {
    next.run(request).await
}

async fn upload(body: Bytes) -> String {
    format!("{} bytes", body.len())
}

/// The attribute on a handler. The framework has read the body before the handler runs.
#[rate_limit(key = "handler", count = 1, by = "ip", on_limit = |_| Err(StatusCode::TOO_MANY_REQUESTS))]
async fn limited_upload(_: Extension<Client>, body: Bytes) -> Result<String, StatusCode> {
    Ok(upload(body).await)
}

#[derive(Clone)]
struct Client;

impl ratelimit::ClientIp for Client {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(IpAddr::from([203, 0, 113, 7]))
    }
}

/// The routers, and whether a refused request's body is read.
fn routers() -> [(Router, bool); 3] {
    let layer = RateLimitLayer::new().limit("layer", Limit::counter(1, MINUTE), By::ip());
    [
        (Router::new().route("/", post(upload)).layer(layer), false),
        (Router::new().route("/", post(upload)).layer(from_fn(limited)), false),
        (Router::new().route("/", post(limited_upload)).layer(Extension(Client)), true),
    ]
}

/// A request whose body notes that it is read.
fn request(is_read: &Arc<AtomicBool>) -> Request {
    let is_read = Arc::clone(is_read);
    let data = async move {
        is_read.store(true, Ordering::Relaxed);
        Ok::<_, Infallible>(Bytes::from("data"))
    };
    let mut request = Request::post("/").body(Body::from_stream(stream::once(data))).unwrap();
    request.extensions_mut().insert(PeerAddr::from(IpAddr::from([203, 0, 113, 7])));
    request
}

#[tokio::test]
async fn the_body_of_a_refused_request_is_not_read() {
    for limiter in limiters().await {
        for (router, is_read_when_refused) in routers() {
            let app = router.layer(RateLimitLayer::new().limiter(limiter.clone()));
            for (status, expected) in [(200, true), (429, is_read_when_refused)] {
                let is_read = Arc::default();
                let response = app.clone().oneshot(request(&is_read)).await.unwrap();
                assert_eq!(response.status(), status);
                assert_eq!(is_read.load(Ordering::Relaxed), expected, "{status}");
            }
        }
    }
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
