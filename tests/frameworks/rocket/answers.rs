//! What refused handlers and guards of rocket answer.

use super::forms::application;
use super::{Seen, build, client, get_from};
use crate::harness::limiters::failing;
use ratelimit::answer::Answers;
use ratelimit::rocket::RequestHead;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use rocket::http::{Header, Status};
use rocket::{get, routes};
use std::net::SocketAddr;

fn layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(RateLimiter::in_memory())
}

const TEXT: Option<&str> = Some("text/plain; charset=utf-8");

/// The second call of each form is refused, with `Retry-After`, also through a catcher.
#[tokio::test]
async fn all_forms_of_return_say_when_to_come_back() {
    let client = client(application(Some(layer()))).await;
    for (path, body, content_type) in [
        ("/rejection", "too many requests: try again in 60 seconds", TEXT),
        ("/opaque", "too many requests: try again in 60 seconds", TEXT),
        ("/status", "the catcher", TEXT),
        ("/pair", "too many requests: try again in 60 seconds", TEXT),
        ("/custom", "too many requests: try again in 60 seconds", TEXT),
        ("/bare_status", "the catcher", TEXT),
        ("/bare_pair", "too many requests: try again in 60 seconds", TEXT),
        ("/bare_custom", "too many requests: try again in 60 seconds", TEXT),
        ("/fallible?page=/rejection", "too many requests: try again in 60 seconds", TEXT),
        ("/maybe?there=true", "too many requests: try again in 60 seconds", TEXT),
        ("/maybe?there=false", "too many requests: try again in 60 seconds", TEXT),
        ("/nothing", "too many requests: try again in 60 seconds", TEXT),
        ("/events", "too many requests: try again in 60 seconds", TEXT),
        ("/own_error?missing=false", "too many requests: try again in 60 seconds", TEXT),
        ("/computed", "too many requests: try again in 60 seconds", TEXT),
        ("/guard", "the catcher", TEXT),
    ] {
        let from = if path.ends_with("false") { 3 } else { 1 };
        let expected = match path {
            "/fallible?page=/rejection" => 303,
            "/maybe?there=false" => 404,
            _ => 200,
        };
        let get_from = |last| get_from(&client, path, last).dispatch();
        assert_eq!(Seen::of(get_from(from).await).await.status, expected, "{path}");
        let refused = Seen::of(get_from(from).await).await;
        assert_eq!((refused.status, refused.body.as_str()), (429, body), "{path}");
        assert!((30..=60).contains(&refused.retry_after.expect(path)), "{path}");
        assert_eq!(refused.content_type.as_deref(), content_type, "{path}");
        assert_eq!(Seen::of(get_from(from + 1).await).await.status, expected, "{path}");
    }
    assert_eq!(get_from(&client, "/own_error?missing=true", 9).dispatch().await.status(), Status::NotFound);
}

/// Without the layer, everything that contains the `Rejection` answers alike. A bare status goes to the catchers, which do not know
/// when to come back.
#[tokio::test]
async fn a_rejection_needs_no_layer() {
    let client = client(application(None)).await;
    let limiter = RateLimiter::in_memory();
    for (path, says_when) in
        [("/rejection", true), ("/opaque", true), ("/computed", true), ("/status", false), ("/pair", false)]
    {
        let ask = || ratelimit::scope(limiter.clone(), get_from(&client, path, 1).dispatch());
        assert_eq!(ask().await.status(), Status::Ok, "{path}");
        let refused = Seen::of(ask().await).await;
        assert_eq!((refused.status, refused.retry_after.is_some()), (429, says_when), "{path}");
    }
}

#[tokio::test]
async fn a_swallowed_refusal_is_mended() {
    for (correct, expected) in [(false, 500), (true, 429)] {
        let client = client(application(Some(layer().correct_status(correct)))).await;
        assert_eq!(get_from(&client, "/swallowed", 1).dispatch().await.status(), Status::Ok);
        let refused = Seen::of(get_from(&client, "/swallowed", 1).dispatch().await).await;
        assert_eq!((refused.status, refused.retry_after.is_some()), (expected, true));
    }
}

#[tokio::test]
async fn a_store_that_fails_is_503() {
    let client = client(application(Some(RateLimitLayer::new().limiter(failing().await)))).await;
    for path in
        ["/rejection", "/opaque", "/status", "/pair", "/bare_custom", "/own_error?missing=false", "/guard"]
    {
        let refused = Seen::of(get_from(&client, path, 1).dispatch().await).await;
        assert_eq!((refused.status, refused.retry_after), (503, Some(1)), "{path}");
    }
}

/// 400 for a header that is missing or doubled.
#[tokio::test]
async fn who_does_not_say_who_calls_is_rejected() {
    let client = client(application(Some(layer()))).await;
    let add = |values: &[&'static str]| {
        values.iter().fold(get_from(&client, "/key", 1), |request, value| {
            request.header(Header::new("X-Api-Key", *value))
        })
    };
    for (values, expected) in
        [(&[][..], 400), (&["a", "b"], 400), (&["a"], 200), (&["a"], 429), (&["b"], 200)]
    {
        let seen = Seen::of(add(values).dispatch().await).await;
        assert_eq!(seen.status, expected, "{values:?}");
        assert_eq!(seen.retry_after.is_some(), expected == 429, "{values:?}");
    }
}

#[get("/head")]
#[rate_limit(key = "head", count = 1, by = "ip")]
async fn head(_head: RequestHead<'_>) -> Result<&'static str, Rejection> {
    Ok("fine")
}

#[get("/peer")]
#[rate_limit(key = "peer", count = 1, by = "ip")]
async fn peer(_peer: SocketAddr) -> Result<&'static str, Rejection> {
    Ok("fine")
}

/// Clients behind a trusted proxy are told apart, also by a handler with only the `SocketAddr` guard. `X-Real-IP`, which rocket's
/// `IpAddr` guard believes, is not read. Without any peer, the server is not set up.
#[tokio::test]
async fn clients_are_found_behind_a_proxy() {
    let limiter = RateLimiter::builder().trusted_proxies(["203.0.113.0/25"]).connect().await.unwrap();
    let application = build().attach(RateLimitLayer::new().limiter(limiter)).mount("/", routes![head, peer]);
    let client = client(application).await;
    for path in ["/head", "/peer"] {
        for (proxy, client_ip, real_ip, expected) in [
            (1, "198.51.100.1", "192.0.2.1", 200),
            (1, "6.6.6.6, 198.51.100.1", "192.0.2.2", 429),
            (2, "198.51.100.1", "192.0.2.3", 429),
            (1, "198.51.100.2", "192.0.2.1", 200),
            // Not a proxy.
            (200, "198.51.100.3", "192.0.2.4", 200),
            (200, "198.51.100.4", "192.0.2.5", 429),
        ] {
            let request = get_from(&client, path, proxy).header(Header::new("X-Forwarded-For", client_ip));
            let request = request.header(Header::new("X-Real-IP", real_ip));
            assert_eq!(request.dispatch().await.status().code, expected, "{path} {proxy} {client_ip}");
        }
    }
    let nobody = Seen::of(client.get("/head").dispatch().await).await;
    assert_eq!((nobody.status, nobody.retry_after), (503, Some(1)));
}

/// The form that the layer sets applies to the handlers' refusals and to the layer's own.
#[tokio::test]
async fn the_layer_sets_the_form_of_answers() {
    let everyone = layer().answers(Answers::problem_json());
    let everyone = everyone.limit("everyone", Limit::counter(2, support::MINUTE), By::global());
    let client = client(application(Some(everyone))).await;
    assert_eq!(get_from(&client, "/rejection", 1).dispatch().await.status(), Status::Ok);
    for _ in ["of the handler", "of the layer"] {
        let refused = Seen::of(get_from(&client, "/rejection", 1).dispatch().await).await;
        assert_eq!(refused.status, 429);
        assert_eq!(refused.content_type.as_deref(), Some("application/problem+json"));
        assert!(refused.body.starts_with('{') && refused.retry_after.is_some(), "{}", refused.body);
    }
}
