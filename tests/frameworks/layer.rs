//! `RateLimitLayer` around a plain tower service: its limits, kept headers, and corrected answers.

use crate::harness::limiters::still_layer;
use http::{Request, Response};
use ratelimit::answer::Answers;
use ratelimit::identity::PeerAddr;
use ratelimit::{By, Limit, Rejection, rate_limit};
use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use support::MINUTE;
use tower::util::BoxCloneService;
use tower::{Layer, Service, ServiceExt, service_fn};

type Body = http_body_util::Full<bytes::Bytes>;
type Inner = BoxCloneService<Request<()>, Response<Body>, Infallible>;

/// Returns a request from the address 203.0.113.`last`.
fn from(last: u8) -> Request<()> {
    let mut request = Request::new(());
    request.extensions_mut().insert(PeerAddr::from(IpAddr::from([203, 0, 113, last])));
    request
}

fn with_header(last: u8, name: &'static str, value: &'static str) -> Request<()> {
    let mut request = from(last);
    request.headers_mut().append(name, value.parse().unwrap());
    request
}

/// Returns a service that responds with the status that a function returns.
fn answers<F: Future<Output = u16> + Send + 'static>(
    answer: impl Fn(Request<()>) -> F + Clone + Send + 'static,
) -> Inner {
    BoxCloneService::new(service_fn(move |request| {
        let status = answer(request);
        async move { Ok(Response::builder().status(status.await).body(Body::default()).unwrap()) }
    }))
}

fn ok() -> Inner {
    answers(|_| async { 200 })
}

/// Sends a request. Returns the status and `Retry-After`.
async fn status<S, B>(service: &S, request: Request<()>) -> (u16, Option<String>)
where
    S: Service<Request<()>, Response = Response<B>, Error = Infallible> + Clone,
{
    let response = service.clone().oneshot(request).await.unwrap();
    let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
    (response.status().as_u16(), wait)
}

#[tokio::test]
async fn limits_of_a_layer_are_decided_together() {
    let layer = still_layer().limit("address", Limit::counter(2, MINUTE), By::ip()).limit(
        "all",
        Limit::counter(3, MINUTE),
        By::global(),
    );
    let service = layer.layer(ok());
    for (last, expected) in [(1, 200), (1, 200), (1, 429), (2, 200), (2, 429)] {
        assert_eq!(status(&service, from(last)).await.0, expected, "{last}");
    }
    let response = service.oneshot(from(3)).await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap();
    assert_eq!(header("ratelimit-policy"), r#""address";q=2;w=60, "all";q=3;w=60"#);
    assert!(header("ratelimit").starts_with(r#""all";r=0;t="#));
}

#[tokio::test]
async fn a_request_is_identified_by_a_header_or_by_a_function() {
    let by_header =
        still_layer().limit("key", Limit::counter(1, MINUTE), By::header("X-Api-Key")).layer(ok());
    assert_eq!(status(&by_header, with_header(1, "x-api-key", "a")).await.0, 200);
    assert_eq!(status(&by_header, with_header(2, "x-api-key", "a")).await.0, 429);
    assert_eq!(status(&by_header, with_header(1, "x-api-key", "b")).await.0, 200);
    assert_eq!(status(&by_header, from(1)).await, (400, None), "it does not say who calls");

    let uploads = By::request(|request| (request.method() == "POST").then(|| request.client_ip()));
    let by_request = still_layer().limit("uploads", Limit::counter(1, MINUTE), uploads).layer(ok());
    let post = || {
        let mut request = from(1);
        *request.method_mut() = http::Method::POST;
        request
    };
    assert_eq!(status(&by_request, post()).await.0, 200);
    assert_eq!(status(&by_request, post()).await.0, 429);
    assert_eq!(status(&by_request, from(1)).await.0, 200, "`None` exempts a request");
}

fn result(decided: Result<(), Rejection>) -> u16 {
    decided.map_or_else(|rejection| rejection.status(), |()| 200)
}

#[rate_limit(key = "by forgotten header", count = 1, by = ratelimit::context::header("X-Forgotten"))]
async fn by_forgotten_header() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn a_header_that_no_layer_was_told_to_keep_rejects_each_call() {
    let service = still_layer().layer(answers(|_| async { result(by_forgotten_header().await) }));
    let ask = async |value| status(&service, with_header(1, "x-forgotten", value)).await.0;
    assert_eq!([ask("a").await, ask("a").await], [503, 503]);
}

#[rate_limit(key = "swallowed", time = 90, count = 1, by = ratelimit::context::client_ip())]
async fn swallowed() -> Result<(), Rejection> {
    Ok(())
}

/// Returns a service that answers a refusal with another status, like an error type with a blanket conversion.
fn service(instead: u16) -> Inner {
    answers(move |_| async move { swallowed().await.map_or(instead, |()| 200) })
}

/// By default, the layer corrects only the status 500 of a refusal, because no application chooses 500 for a refusal. With
/// `correct_status(true)`, the layer corrects each error status. It never changes a success.
#[tokio::test]
async fn the_answer_to_a_swallowed_refusal_is_mended() {
    let wait = Some("90".to_owned());
    for (instead, corrects, expected) in [
        (500, None, (429, wait.clone())),
        (404, None, (404, wait.clone())),
        (503, None, (503, wait.clone())),
        (429, None, (429, wait.clone())),
        (200, None, (200, None)),
        (500, Some(true), (429, wait.clone())),
        (404, Some(true), (429, wait.clone())),
        (200, Some(true), (200, None)),
        (500, Some(false), (500, wait.clone())),
        (404, Some(false), (404, wait.clone())),
    ] {
        let layer = still_layer();
        let layer = match corrects {
            Some(corrects) => layer.correct_status(corrects),
            None => layer,
        };
        let service = layer.layer(service(instead));
        assert_eq!(status(&service, from(1)).await, (200, None));
        assert_eq!(status(&service, from(1)).await, expected, "{instead} {corrects:?}");
    }
}

/// The layer corrects the status of a refusal to the status that the application's `Answers` choose. If they choose a status
/// below 400, the layer uses the status of the rejection, such as 429.
#[tokio::test]
async fn the_right_status_is_that_of_the_answers() {
    for (chosen, expected) in [(420, 420), (200, 429)] {
        let answers = Answers::custom(move |_, answer| answer.status = chosen);
        let service = still_layer().answers(answers).layer(service(500));
        assert_eq!(status(&service, from(1)).await.0, 200);
        assert_eq!(status(&service, from(1)).await, (expected, Some("90".to_owned())));
    }
}

/// A service whose `call` has the attribute. The attribute decides before the service makes its response.
#[derive(Clone)]
struct Limited;

impl Service<Request<()>> for Limited {
    type Response = Response<Body>;
    type Error = Rejection;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Response<Body>, Rejection>> + Send>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Rejection>> {
        std::task::Poll::Ready(Ok(()))
    }

    #[rate_limit(key = "layer_of_a_limited_call", count = 1, by = ratelimit::context::client_ip())]
    fn call(&mut self, _request: Request<()>) -> Self::Future {
        Box::pin(async move { Ok(Response::new(Body::default())) })
    }
}

#[tokio::test]
async fn the_limiter_of_a_layer_decides_the_call_of_a_limited_service() {
    for _ in 0..2 {
        let service = still_layer().limiter(ratelimit::RateLimiter::in_memory()).layer(Limited);
        assert!(service.clone().oneshot(from(1)).await.is_ok(), "each limiter has its own state");
        assert!(service.clone().oneshot(from(1)).await.is_err());
        assert!(service.oneshot(from(2)).await.is_ok());
    }
}
