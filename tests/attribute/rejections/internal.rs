//! Limits of outgoing calls (`pause_if`): the client of the handler that makes such a call sees neither their names nor their
//! numbers.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use axum::routing::get;
use ratelimit::RateLimitLayer;
use ratelimit::answer::{Answers, RateLimitHeaders};
use ratelimit::context::RequestContext;
use ratelimit::testing::TestLimiter;
use ratelimit::{Rejection, rate_limit};
use std::time::Duration;
use tower::ServiceExt;

fn pause(answer: &Result<bool, Rejection>) -> Option<Duration> {
    matches!(answer, Ok(true)).then_some(Duration::from_secs(30))
}

#[rate_limit(key = "partner", time = "1s", count = 50, pause_if = pause)]
async fn ask(is_busy: bool) -> Result<bool, Rejection> {
    Ok(is_busy)
}

/// One limit of the client and one of the partner, which are decided together.
#[rate_limit(key = "share", time = "1m", count = 5, by = user)]
#[rate_limit(key = "stacked_partner", time = "1s", count = 50, pause_if = pause)]
async fn ask_for(user: u64, is_busy: bool) -> Result<bool, Rejection> {
    Ok(is_busy)
}

#[rate_limit(key = "search", time = "1m", count = 9, by = "global")]
async fn search() -> Result<String, Rejection> {
    Ok(ask(true).await?.to_string())
}

async fn only_ask() -> Result<String, Rejection> {
    Ok(ask(true).await?.to_string())
}

async fn share() -> Result<String, Rejection> {
    Ok(ask_for(7, true).await?.to_string())
}

/// A handler whose error type turns each error into a 500.
async fn swallows() -> Result<String, axum::http::StatusCode> {
    ask(true).await.map(|_| String::new()).map_err(|_| axum::http::StatusCode::INTERNAL_SERVER_ERROR)
}

fn service(limiter: &TestLimiter) -> Router {
    let routes = Router::new().route("/search", get(search)).route("/ask", get(only_ask));
    let routes = routes.route("/share", get(share)).route("/swallows", get(swallows));
    routes.layer(RateLimitLayer::new().limiter(limiter.limiter().clone()).headers(RateLimitHeaders::Draft11))
}

async fn fetch(limiter: &TestLimiter, path: &str) -> (Response, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let mut response = service(limiter).oneshot(request).await.unwrap();
    let body = to_bytes(std::mem::take(response.body_mut()), 10_000).await.unwrap();
    (response, String::from_utf8(body.to_vec()).unwrap())
}

fn field<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_client_sees_only_its_own_limits() {
    let limiter = TestLimiter::new();
    let (passed, _) = fetch(&limiter, "/search").await;
    assert_eq!(passed.status(), 200);
    assert_eq!(field(&passed, "ratelimit-policy"), Some("\"search\";q=9;w=60"));
    let (refused, body) = fetch(&limiter, "/search").await;
    assert_eq!(
        (refused.status().as_u16(), &*body),
        (503, "temporarily unavailable: try again in 30 seconds")
    );
    assert_eq!(field(&refused, "retry-after"), Some("30"));
    assert_eq!(field(&refused, "ratelimit"), Some("\"search\";r=7;t=60"));
    for path in ["/ask", "/swallows"] {
        let (refused, _) = fetch(&limiter, path).await;
        assert_eq!((refused.status().as_u16(), field(&refused, "retry-after")), (503, Some("30")), "{path}");
        assert_eq!(field(&refused, "ratelimit-policy"), None, "{path}");
    }
}

#[tokio::test]
async fn a_limit_of_the_client_in_the_same_stack_is_shown() {
    let limiter = TestLimiter::new();
    let (passed, _) = fetch(&limiter, "/share").await;
    assert_eq!(field(&passed, "ratelimit-policy"), Some("\"share\";q=5;w=60"));
    assert_eq!(field(&passed, "ratelimit"), Some("\"share\";r=4;t=60"));
}

#[tokio::test]
async fn problem_details_have_no_name() {
    let limiter = TestLimiter::new();
    limiter.scope(ask(true)).await.unwrap();
    let context = RequestContext::new().with_answers(Answers::problem_json());
    let (answer, rejection) = limiter
        .scope(context.scope(async {
            let rejection = ask(true).await.unwrap_err();
            (rejection.answer(), rejection)
        }))
        .await;
    assert_eq!((rejection.status(), rejection.public_name(), rejection.name()), (503, "internal", "partner"));
    assert_eq!(rejection.retry_after(), Some(Duration::from_secs(30)), "a worker waits for the partner");
    let body = String::from_utf8(answer.body).unwrap();
    assert_eq!(body, r#"{"type":"about:blank","title":"Service Unavailable","status":503}"#);
}
