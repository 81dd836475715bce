//! Checks the answers for each form of return value in each framework. The handlers admit one call per minute for each API
//! key.

use super::client::{Client, Reply, Version};
use super::limiters::failing;
use ratelimit::answer::Answers;
use ratelimit::{FromRejection, RateLimitLayer, RateLimiter, Rejection};
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;

const TEXT: &str = "text/plain; charset=utf-8";

/// Checks handlers, one for each form of return value, that admit one call per minute for each API key. The answers of the
/// handlers in `outside` do not have the layer's form, because the application makes them or they are made outside the layer.
pub(crate) async fn check(
    paths: &[&str],
    outside: &[&str],
    serve: impl AsyncFn(RateLimitLayer) -> SocketAddr,
) {
    let layer = || RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let failing = RateLimitLayer::new().limiter(failing().await);
    all_answer_in_text([serve(layer()).await, serve(failing).await], &[paths, outside].concat()).await;

    let client = Client::new(serve(layer().answers(Answers::problem_json())).await, Version::Http1);
    for path in paths {
        answers_in_problem_details(&client, path).await;
    }

    // The layer does not correct the status 420, because the application's `Answers` choose it.
    let calm = Answers::custom(|_, answer| answer.status = 420);
    let client = Client::new(serve(layer().answers(calm).correct_status(true)).await, Version::Http1);
    for path in paths {
        ask(&client, path, path).await;
        let limited = ask(&client, path, path).await;
        assert_eq!((limited.status, limited.header("retry-after").is_some()), (420, true), "{path}");
    }
}

/// Calls a handler with an API key.
pub(crate) async fn ask(client: &Client, path: &str, key: &str) -> Reply {
    client.get_with(path, &[("x-api-key", key)]).await
}

/// Returns the status, `Retry-After` and body of a reply. Asserts its content type.
fn parts<'r>(reply: &'r Reply, content_type: &str) -> (u16, Option<&'r str>, &'r str) {
    assert_eq!(reply.header("content-type"), Some(content_type), "{reply:?}");
    (reply.status, reply.header("retry-after"), &reply.body)
}

/// Calls a handler once more than its limit admits, then without a key, and then on the server of `unlucky`, whose store
/// fails. Checks the texts of the answers.
async fn answers_in_text(client: &Client, unlucky: &Client, path: &str, key: &str) {
    let admitted = ask(client, path, key).await.status;
    assert!((200..400).contains(&admitted), "{path}: {admitted}");

    let limited = ask(client, path, key).await;
    let (status, wait, body) = parts(&limited, TEXT);
    assert_eq!(status, 429, "{path}");
    let seconds: u64 = wait.unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{path}: {seconds}");
    assert!(body.starts_with("too many requests: try again in "), "{path}: {body}");

    let unidentified = client.get(path).await;
    assert_eq!(parts(&unidentified, TEXT), (400, None, "this request does not say who calls"), "{path}");

    let unavailable = ask(unlucky, path, key).await;
    let expected = (503, Some("1"), "temporarily unavailable: try again in 1 second");
    assert_eq!(parts(&unavailable, TEXT), expected, "{path}");
}

/// Calls a handler once more than its limit admits, behind a layer with problem details. Checks the answer.
async fn answers_in_problem_details(client: &Client, path: &str) {
    ask(client, path, path).await;
    let limited = ask(client, path, path).await;
    let (status, wait, body) = parts(&limited, "application/problem+json");
    let problem: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((status, &problem["status"]), (429, &429.into()), "{path}");
    assert!(wait.is_some(), "{path}");
}

/// Checks all handlers of two servers with each version of HTTP. The store of the second server fails.
pub(crate) async fn all_answer_in_text([served, failing]: [SocketAddr; 2], paths: &[&str]) {
    for version in [Version::Http1, Version::Http2] {
        let (client, unlucky) = (Client::new(served, version), Client::new(failing, version));
        for path in paths {
            answers_in_text(&client, &unlucky, path, &format!("{path} {version:?}")).await;
        }
    }
}

/// An application's error that leaves the answer to the rejection. Each framework converts it to a response.
#[derive(Debug)]
pub(crate) struct ApiError(pub(crate) Rejection);

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        Self(rejection)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ApiError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// An application's response type that has a variant for refusals.
pub(crate) enum Welcome {
    Yes,
    Refused(Rejection),
}

impl FromRejection for Welcome {
    fn from_rejection(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}
