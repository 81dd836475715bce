//! The contract that every framework keeps. A framework's test serves these routes, and calls [`check`] for each store and
//! version of HTTP:
//!
//! | route | handler |
//! |---|---|
//! | `/login` | `key = "login", count = 2, by = "ip"`; answers `welcome` |
//! | `/above`, `/below` | `count = 1, by = "ip"`; our attribute above and below the framework's |
//! | `/key` | `key = "key", count = 1, by = "header:x-api-key"` |
//! | `/user` | `key = "user", count = 1, by = "user"`; a user type of the test, from the header `x-user`; without it, no user |
//! | `/stack` | `key = "stack"`, `time = "1m", count = 3` and `time = "1h", count = 2`, both `by = "ip"` |
//! | `/context` | no argument with an address; `key = "context", count = 1, by = ratelimit::context::client_ip()` |
//! | `/spawned` | spawns a task that calls a function limited by `ratelimit::context::client_ip()`; answers with the `Rejection` of the task |
//! | `/swallowed` | `key = "swallowed", count = 1, by = "ip"`; an error type that answers 500 to every error |
//! | `/plain` | no limit |
//! | `/layered` | in `layer("outer")` and, inside of it, `layer("inner")`; answers with [`met`] |
//! | `/formed` | as `/context`, in `layer("formed")` |
//! | `/upload` | in `layer("upload")`; reads the body of a POST request |
//! | `/slow` | in `layer("slow")`; waits for [`slow`] |
//!
//! `serve` takes the layer around the whole application. `/below` has only one argument, the peer, if the framework has an
//! extractor for it. A framework without inner layers omits the routes that are in a [`layer`].

use super::client::{Client, Reply, VERSIONS, Version};
use super::limiters::{limiters, until};
use futures_util::stream;
use ratelimit::answer::{Answers, RateLimitHeaders};
use ratelimit::context::RequestContext;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;
use std::{fmt, io};
use support::MINUTE;
use tokio::sync::watch;

/// The headers in which a client may claim an address, each with a claimed address.
const CLAIMS: [(&str, &str); 4] = [
    ("x-forwarded-for", "203.0.113.9"),
    ("x-real-ip", "203.0.113.9"),
    ("forwarded", "for=203.0.113.9"),
    ("cf-connecting-ip", "203.0.113.9"),
];

/// Serves the contract's routes for each store, and checks them with each version of HTTP.
pub(crate) async fn check(serve: impl AsyncFn(RateLimitLayer) -> SocketAddr) {
    check_routes(true, serve).await;
}

/// Like [`check`], for a framework without inner layers. The framework's own tests of the layer replace the routes in
/// [`layer`].
pub(crate) async fn check_without_layers(serve: impl AsyncFn(RateLimitLayer) -> SocketAddr) {
    check_routes(false, serve).await;
}

async fn check_routes(has_layers: bool, serve: impl AsyncFn(RateLimitLayer) -> SocketAddr) {
    for limiter in limiters().await {
        let server = serve(RateLimitLayer::new().limiter(limiter)).await;
        for version in VERSIONS {
            // Each part has a different client address, so that the parts do not share limits.
            let client = || Client::new(server, version);
            addresses(client()).await;
            headers_and_users(client()).await;
            stacks(client()).await;
            contexts(client()).await;
            mending(client()).await;
            if has_layers {
                layers(client()).await;
                bodies(client()).await;
                permits(client()).await;
            }
        }
    }
    settings(serve).await;
}

/// Returns the layer of a route. `inner` and `formed` choose their own form of answers. Every layer but `formed` has a limit
/// by client address.
pub(crate) fn layer(name: &'static str) -> RateLimitLayer {
    let limited = |limit| RateLimitLayer::new().limit(name, limit, By::ip());
    match name {
        "formed" => RateLimitLayer::new().answers(Answers::problem_json()),
        "inner" => limited(Limit::counter(1, MINUTE)).answers(Answers::problem_json()),
        "outer" => limited(Limit::counter(2, MINUTE)),
        "slow" => limited(Limit::concurrency(1, MINUTE)),
        _ => limited(Limit::counter(1, MINUTE)),
    }
}

/// Returns the names of the limits that have decided about the request so far.
pub(crate) fn met() -> String {
    let decisions = RequestContext::current().unwrap().decisions();
    decisions.iter().map(|met| met.name().to_owned()).collect::<Vec<_>>().join(" ")
}

/// The user of `/user`. Each framework reads it from the header.
pub(crate) struct User(pub(crate) Option<String>);

impl UserId for User {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        self.0.clone()
    }
}

/// The function that `/context` and `/spawned` call.
#[rate_limit(key = "context", count = 1, by = ratelimit::context::client_ip())]
pub(crate) async fn in_context() -> Result<(), Rejection> {
    Ok(())
}

/// The error of `/swallowed`, which accepts every other error. Each framework answers 500.
#[derive(Debug)]
pub(crate) struct AppError;

impl<E: std::error::Error> From<E> for AppError {
    fn from(_: E) -> Self {
        Self
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something went wrong")
    }
}

/// The clients that are inside `/slow`.
static INSIDE: LazyLock<watch::Sender<HashSet<IpAddr>>> = LazyLock::new(watch::Sender::default);
/// The clients that may leave `/slow`.
static LEAVING: LazyLock<watch::Sender<HashSet<IpAddr>>> = LazyLock::new(watch::Sender::default);

/// Waits in the handler of `/slow` until the test lets its client leave.
pub(crate) async fn slow() {
    let client = RequestContext::current().unwrap().client_ip().unwrap();
    INSIDE.send_if_modified(|inside| inside.insert(client));
    LEAVING.subscribe().wait_for(|leaving| leaving.contains(&client)).await.unwrap();
    INSIDE.send_if_modified(|inside| inside.remove(&client));
}

/// Each client address has its own limit, in both orders of the attributes.
async fn addresses(client: Client) {
    for remaining in [1, 0] {
        let reply = client.get("/login").await;
        assert_eq!((reply.status, reply.body.as_str()), (200, "welcome"));
        assert_eq!(reply.header("ratelimit-policy"), Some(r#""login";q=2;w=60"#));
        assert_field(&reply, "login", remaining, 1..=60);
        assert_eq!(reply.header("retry-after"), None);
    }
    let refused = client.get("/login").await;
    assert_refused(&refused, 60);
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""login";q=2;w=60"#));
    assert_field(&refused, "login", 0, 1..=60);
    for path in ["/above", "/below"] {
        assert_eq!(client.get(path).await.status, 200, "{path}");
        assert_refused(&client.get(path).await, 60);
        for claim in CLAIMS {
            assert_eq!(client.get_with(path, &[claim]).await.status, 429, "{path} {claim:?}");
        }
    }
    let plain = client.get("/plain").await;
    assert_eq!(
        (plain.status, plain.header("ratelimit"), plain.header("ratelimit-policy")),
        (200, None, None)
    );
}

/// Headers and users are found among the arguments. A request without an identity is rejected.
async fn headers_and_users(client: Client) {
    let me = client.address.to_string();
    for (path, header) in [("/key", "x-api-key"), ("/user", "x-user")] {
        assert_eq!(client.get_with(path, &[(header, &me)]).await.status, 200, "{path}");
        assert_refused(&client.get_with(path, &[(header, &me)]).await, 60);
        let other = format!("not {me}");
        assert_eq!(client.get_with(path, &[(header, &other)]).await.status, 200, "{path}");
        let unidentified = client.get(path).await;
        assert_eq!((unidentified.status, unidentified.header("retry-after")), (400, None), "{path}");
        assert!(!unidentified.body.contains(&me), "{unidentified:?}");
    }
    let twice = client.get_with("/key", &[("x-api-key", "a"), ("x-api-key", "b")]).await;
    assert_eq!(twice.status, 400, "{twice:?}");
}

/// The limits of a stack are decided together. The refusal names the limit that refused.
async fn stacks(client: Client) {
    for _ in 0..2 {
        let reply = client.get("/stack").await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("ratelimit-policy"), Some(r#""stack/1m";q=3;w=60, "stack/1h";q=2;w=3600"#));
    }
    let refused = client.get("/stack").await;
    assert_refused(&refused, 3600);
    let field = refused.header("ratelimit").unwrap();
    assert!(field.starts_with(r#""stack/1h";r=0;t="#) && !field.contains("stack/1m"), "{field}");
}

/// Handlers without an argument that has the address use the request context. Spawned tasks do not have this context.
async fn contexts(client: Client) {
    assert_eq!(client.get("/context").await.status, 200);
    assert_refused(&client.get("/context").await, 60);
    assert_eq!(client.get("/spawned").await.status, 503, "a task has no context");
}

/// If an error type answers 500 to a refusal, the layer restores the status and `Retry-After`.
async fn mending(client: Client) {
    assert_eq!(client.get("/swallowed").await.status, 200);
    let swallowed = client.get("/swallowed").await;
    assert_eq!(swallowed.status, 429, "{swallowed:?}");
    assert_wait(&swallowed, 60);
}

/// Inner layers add their limits to the outer ones, and choose the form of the answers inside of them.
async fn layers(client: Client) {
    let problem = Some("application/problem+json");
    let admitted = client.get("/layered").await;
    assert_eq!((admitted.status, admitted.body.as_str()), (200, "outer inner"));
    assert_eq!(admitted.header("ratelimit-policy"), Some(r#""outer";q=2;w=60, "inner";q=1;w=60"#));
    let refused = client.get("/layered").await;
    assert_eq!((refused.status, refused.header("content-type")), (429, problem), "{refused:?}");
    assert_wait(&refused, 60);

    assert_eq!(client.get("/formed").await.status, 200);
    for (path, form) in [("/formed", problem), ("/context", Some("text/plain; charset=utf-8"))] {
        let refused = client.get(path).await;
        assert_eq!((refused.status, refused.header("content-type")), (429, form), "{refused:?}");
    }
}

/// Tests the settings of the outermost layer: trusted proxies, the names of the header fields, and `correct_status(false)`,
/// which leaves statuses alone.
async fn settings(serve: impl AsyncFn(RateLimitLayer) -> SocketAddr) {
    let limiter = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).connect().await.unwrap();
    let layer = RateLimitLayer::new().limiter(limiter).headers(RateLimitHeaders::XRateLimit);
    let client = Client::new(serve(layer.correct_status(false)).await, Version::Http1);
    for path in ["/above", "/below", "/context"] {
        // All lines of the header are read.
        for (first, last, expected) in [
            ("6.6.6.6", "203.0.113.7", 200),
            ("7.7.7.7, 6.6.6.6", "203.0.113.7", 429),
            ("", "203.0.113.8", 200),
        ] {
            let lines = [("x-forwarded-for", first), ("x-forwarded-for", last)];
            let reply = client.get_with(path, &lines).await;
            assert_eq!(reply.status, expected, "{path} {lines:?}");
            assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"), "{path}");
        }
    }
    assert_eq!(client.get("/swallowed").await.status, 200);
    let swallowed = client.get("/swallowed").await;
    assert_eq!(swallowed.status, 500, "{swallowed:?}");
    assert_wait(&swallowed, 60);
}

/// The layer decides before the body is read. The body of the refused request never ends.
async fn bodies(client: Client) {
    assert_eq!(client.post("/upload").body("content").send().await.unwrap().status(), 200);
    let endless = reqwest::Body::wrap_stream(stream::pending::<Result<bytes::Bytes, io::Error>>());
    assert_eq!(client.post("/upload").body(endless).send().await.unwrap().status(), 429);
}

/// The permit of a layer is held until the response is made.
async fn permits(client: Client) {
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.get("/slow").await.status }
    });
    INSIDE.subscribe().wait_for(|inside| inside.contains(&client.address)).await.unwrap();
    assert_eq!(client.get("/slow").await.status, 429);
    LEAVING.send_if_modified(|leaving| leaving.insert(client.address));
    assert_eq!(first.await.unwrap(), 200);
    until("the permit is free", async || (client.get("/slow").await.status == 200).then_some(())).await;
    LEAVING.send_if_modified(|leaving| leaving.remove(&client.address));
}

/// Asserts a refusal that asks to wait at most `most_seconds`. The wait may be shorter, because time passes between two
/// requests.
fn assert_refused(reply: &Reply, most_seconds: u64) {
    assert_eq!(reply.status, 429, "{reply:?}");
    assert!(reply.body.starts_with("too many requests"), "{reply:?}");
    assert_wait(reply, most_seconds);
}

fn assert_wait(reply: &Reply, most_seconds: u64) {
    let wait: u64 = reply.header("retry-after").expect("Retry-After").parse().unwrap();
    assert!((most_seconds - 30..=most_seconds).contains(&wait), "{reply:?}");
}

/// Asserts the values of the only item of `RateLimit`.
fn assert_field(reply: &Reply, name: &str, remaining: u32, window: std::ops::RangeInclusive<u64>) {
    let field = reply.header("ratelimit").unwrap();
    let start = format!("\"{name}\";r={remaining};t=");
    let seconds = field.strip_prefix(&start).unwrap_or_else(|| panic!("{field} instead of {start}.."));
    assert!(window.contains(&seconds.parse::<u64>().unwrap()), "{field}");
}
