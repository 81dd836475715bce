//! The function shapes and return types that can hold a permit or a charge. They return the same values as without the
//! attribute.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::Full;
use ratelimit::body::{BodySent, HeldBody};
use ratelimit::testing::TestLimiter;
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::pin::Pin;
use std::time::Duration;
use support::HOUR;

const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));

type Service = http::Response<HeldBody<Full<bytes::Bytes>>>;
type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
async fn service() -> Result<Service, Rejection> {
    Ok(http::Response::new(HeldBody::new(Full::from("text"))))
}

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
async fn parts(early: bool) -> Result<(StatusCode, HeaderMap, Body), StatusCode> {
    if early {
        return Ok((StatusCode::OK, HeaderMap::new(), Body::from("early")));
    }
    let body = Some("text").ok_or(StatusCode::NOT_FOUND)?;
    Ok((StatusCode::OK, HeaderMap::new(), Body::from(body)))
}

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", on_limit = nothing)]
async fn maybe(there: bool) -> Option<Response> {
    there.then(|| "text".into_response())
}

fn nothing(_: Rejection) -> Option<Response> {
    None
}

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
fn boxed() -> BoxFuture<Result<Response, Rejection>> {
    Box::pin(async move { Ok("text".into_response()) })
}

#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
fn future() -> impl Future<Output = Response> {
    let text = "text";
    async move { text.into_response() }
}

/// A trait with a method under `#[async_trait]`. The block that implements it has limits.
#[tonic::async_trait]
trait Files {
    async fn read(&self, name: String) -> Result<Response, Rejection>;
}

struct Disk {
    price: u32,
}

#[rate_limit(
    time = "1h", count = 100, settle = { let price = self.price; move |sent: BodySent| price * sent.blocks(1) },
    until = "body_end", key = "bytes"
)]
#[rate_limit(count = 1, time = "30s", algorithm = "concurrency", until = "body_end", key = "one")]
#[tonic::async_trait]
impl Files for Disk {
    async fn read(&self, name: String) -> Result<Response, Rejection> {
        Ok(name.into_response())
    }
}

/// Only the first limit of this function lasts until the body ends.
#[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
#[rate_limit(key = "short", count = 1, time = "30s", algorithm = "concurrency", until = "return")]
#[rate_limit(key = "failures", time = "1h", count = 5, refund_if = Result::is_ok)]
#[rate_limit(key = "calls", time = "1h", count = 9)]
async fn mixed(fails: bool) -> Result<Response, StatusCode> {
    if fails { Err(StatusCode::NOT_FOUND) } else { Ok("text".into_response()) }
}

async fn scoped<F: Future>(test: impl FnOnce(RateLimiter) -> F) -> F::Output {
    let limits = TestLimiter::new();
    limits.scope(test(limits.limiter().clone())).await
}

async fn free(limits: &RateLimiter, limit: Limit, key: &'static str) -> u32 {
    limits.peek(&limit, key).await.unwrap().remaining()
}

async fn read(body: impl http_body_util::BodyExt<Data = bytes::Bytes, Error: std::fmt::Debug>) -> String {
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn every_shape_holds_until_its_body_ends() {
    scoped(|limits| async move {
        let held = || free(&limits, ONE, "one");
        let response = service().await.unwrap();
        assert!(service().await.is_err());
        assert_eq!((held().await, read(response.into_body()).await.as_str(), held().await), (0, "text", 1));
        let (_, _, body) = parts(false).await.unwrap();
        assert_eq!((held().await, read(body).await.as_str(), held().await), (0, "text", 1));
        let (_, _, body) = parts(true).await.unwrap();
        assert_eq!((held().await, read(body).await.as_str(), held().await), (0, "early", 1));
        let response = maybe(true).await.unwrap();
        assert!(maybe(true).await.is_none());
        assert_eq!((held().await, read(response.into_body()).await.as_str(), held().await), (0, "text", 1));
        assert!(maybe(false).await.is_none());
        let response = boxed().await.unwrap();
        assert_eq!((held().await, read(response.into_body()).await.as_str(), held().await), (0, "text", 1));
        let response = future().await;
        assert_eq!(future().await.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!((held().await, read(response.into_body()).await.as_str(), held().await), (0, "text", 1));
    })
    .await;
}

#[tokio::test]
async fn methods_of_a_block_hold_permits_and_charges() {
    scoped(|limits| async move {
        let bytes = Limit::counter(100, HOUR);
        let response = Disk { price: 3 }.read("name".to_owned()).await.unwrap();
        assert_eq!((free(&limits, ONE, "one").await, free(&limits, bytes, "bytes").await), (0, 99));
        assert_eq!(read(response.into_body()).await, "name");
        assert_eq!((free(&limits, ONE, "one").await, free(&limits, bytes, "bytes").await), (1, 88));
    })
    .await;
}

#[tokio::test]
async fn other_limits_of_a_stack_end_at_the_return() {
    scoped(|limits| async move {
        let (failures, calls) = (Limit::counter(5, HOUR), Limit::counter(9, HOUR));
        let free = async || {
            let permits = (free(&limits, ONE, "one").await, free(&limits, ONE, "short").await);
            (permits, free(&limits, failures, "failures").await, free(&limits, calls, "calls").await)
        };
        let response = mixed(false).await.unwrap();
        assert_eq!(free().await, ((0, 1), 5, 8));
        assert!(mixed(false).await.is_err(), "refused");
        assert_eq!(free().await, ((0, 1), 5, 8));
        drop(response);
        assert_eq!(free().await, ((1, 1), 5, 8));
        assert_eq!(mixed(true).await.unwrap_err(), StatusCode::NOT_FOUND);
        assert_eq!(free().await, ((1, 1), 4, 7));
    })
    .await;
}

#[tokio::test]
async fn a_dropped_call_returns_its_permit_and_keeps_its_charge() {
    #[rate_limit(key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
    #[rate_limit(key = "bytes", time = "1h", count = 100, cost = 7, settle = |_| 0, until = "body_end")]
    async fn never() -> Result<Response, Rejection> {
        std::future::pending().await
    }
    scoped(|limits| async move {
        let mut call = Box::pin(never());
        assert!(futures_util::poll!(&mut call).is_pending());
        assert_eq!(free(&limits, ONE, "one").await, 0);
        drop(call);
        assert_eq!(free(&limits, ONE, "one").await, 1);
        assert_eq!(free(&limits, Limit::counter(100, HOUR), "bytes").await, 93);
    })
    .await;
}

#[tokio::test]
async fn an_exempt_call_holds_nothing() {
    #[rate_limit(
        key = "one", count = 1, time = "30s", algorithm = "concurrency", until = "body_end", skip_if = true & true
    )]
    async fn exempt() -> Result<Response, Rejection> {
        Ok("text".into_response())
    }
    scoped(|limits| async move {
        let response = exempt().await.unwrap();
        assert_eq!(free(&limits, ONE, "one").await, 1);
        assert_eq!(read(response.into_body()).await, "text");
    })
    .await;
}
