//! The forms of answers in an axum application, for each return type: text, problem details, and a form of the application.

use crate::harness::{limited, scoped, scoped_with};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::answer::{Answers, RateLimitHeaders};
use ratelimit::clock::ManualClock;
use ratelimit::context::RequestContext;
use ratelimit::{Rejection, rate_limit};
use std::time::Duration;
use tower::ServiceExt;

const PROBLEM: &str = r#"{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded","status":429,"violated-policies":["NAME"]}"#;
const MESSAGE: &str = "too many requests: try again in 60 seconds";

limited! {
    #[rate_limit(count = 1, cost = u32::MAX)] never();
    #[rate_limit(count = 1)] rejection();
    #[rate_limit(count = 1, by = ratelimit::context::user())] by_user();
    #[rate_limit(key = "brute", count = 1, by = "global", block = "10m")] blocks();
    #[rate_limit(key = "quota", count = 1, time = "day", zone = "+01:00")] daily();
}

#[rate_limit(count = 1, by = "global")]
async fn response() -> Response {
    ().into_response()
}

#[rate_limit(count = 1, by = "global")]
async fn opaque() -> impl IntoResponse {}

#[rate_limit(count = 1)]
async fn a_result_of_a_response() -> Result<(), Response> {
    Ok(())
}

#[rate_limit(key = "tuple \"1\"", count = 1)]
async fn tuple() -> Result<(), (StatusCode, String)> {
    Ok(())
}

#[rate_limit(count = 1)]
async fn status() -> Result<(), StatusCode> {
    Ok(())
}

/// Builds an application that answers refusals in the given form.
fn app(form: Option<Answers>) -> Router {
    let with_context = async move |request: Request, next: Next| {
        let context = RequestContext::new();
        let context = match form {
            Some(form) => context.with_answers(form),
            None => context,
        };
        context.scope(next.run(request)).await
    };
    Router::new()
        .route("/never", get(never))
        .route("/rejection", get(rejection))
        .route("/response", get(response))
        .route("/opaque", get(opaque))
        .route("/a_result_of_a_response", get(a_result_of_a_response))
        .route("/tuple", get(tuple))
        .route("/status", get(status))
        .route("/by_user", get(by_user))
        .layer(from_fn(move |request, next| with_context.clone()(request, next)))
}

/// The status, `Retry-After`, `Content-Type` and the body of a response.
type Received = (u16, Option<String>, Option<String>, String);

async fn send(app: &Router, path: &str) -> Received {
    let request = Request::builder().uri(path).body(Body::empty()).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let header =
        |name| response.headers().get(name).map(|value| value.to_str().expect("printable").to_owned());
    let (status, wait, content_type) =
        (response.status().as_u16(), header("retry-after"), header("content-type"));
    let body = to_bytes(response.into_body(), 10_000).await.unwrap();
    (status, wait, content_type, String::from_utf8(body.to_vec()).unwrap())
}

/// Uses up the limit, and sends one more request. Returns its response.
async fn refused(app: &Router, path: &str) -> Received {
    scoped(async {
        assert_eq!(send(app, path).await.0, 200, "{path}");
        send(app, path).await
    })
    .await
}

fn received(status: u16, wait: Option<&str>, content_type: Option<&str>, body: &str) -> Received {
    (status, wait.map(str::to_owned), content_type.map(str::to_owned), body.to_owned())
}

const RESPONSES: [&str; 4] = ["rejection", "response", "opaque", "a_result_of_a_response"];
const TEXT: Option<&str> = Some("text/plain; charset=utf-8");

#[tokio::test]
async fn text_is_the_default() {
    for form in [None, Some(Answers::text())] {
        let app = app(form);
        for path in RESPONSES {
            let expected = received(429, Some("60"), TEXT, MESSAGE);
            assert_eq!(refused(&app, &format!("/{path}")).await, expected, "{path}");
        }
        assert_eq!(refused(&app, "/tuple").await, received(429, None, TEXT, MESSAGE));
        assert_eq!(refused(&app, "/status").await, received(429, None, None, ""));
    }
}

#[tokio::test]
async fn problem_details() {
    let app = app(Some(Answers::problem_json()));
    let json = Some("application/problem+json");
    for path in RESPONSES {
        let expected = received(429, Some("60"), json, &PROBLEM.replace("NAME", path));
        assert_eq!(refused(&app, &format!("/{path}")).await, expected, "{path}");
    }
    let body = PROBLEM.replace("NAME", r#"tuple \"1\""#);
    assert_eq!(refused(&app, "/tuple").await, received(429, None, TEXT, &body));
    let (status, wait, _, body) = scoped(send(&app, "/never")).await;
    assert_eq!((status, wait), (429, None));
    assert!(body.contains(r#""detail":"this request is larger than its rate limit allows""#), "{body}");
    let unidentified = r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"this request does not say who calls"}"#;
    assert_eq!(scoped(send(&app, "/by_user")).await, received(400, None, json, unidentified));
}

#[tokio::test]
async fn the_form_of_the_application() {
    let app = app(Some(Answers::custom(|rejection, answer| {
        answer.set_json(format!("{{\"limit\":\"{}\"}}", rejection.public_name()));
        answer.status = 420;
    })));
    for path in RESPONSES {
        let expected =
            received(420, Some("60"), Some("application/json"), &format!("{{\"limit\":\"{path}\"}}"));
        assert_eq!(refused(&app, &format!("/{path}")).await, expected, "{path}");
    }
    assert_eq!(refused(&app, "/status").await, received(420, None, None, ""));
}

/// Returns `Retry-After`, the header fields and the problem details of a refused call.
async fn told(call: impl Future<Output = Result<(), Rejection>>) -> (Option<u64>, Vec<String>, String) {
    let context = RequestContext::new().with_answers(Answers::problem_json());
    let (rejection, answer) = context
        .clone()
        .scope(async {
            let rejection = call.await.unwrap_err();
            let answer = rejection.answer();
            (rejection, answer)
        })
        .await;
    let fields = RateLimitHeaders::Draft11.fields(rejection.status(), &context.decisions());
    let fields = fields.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    (answer.retry_after, fields, String::from_utf8(answer.body).unwrap())
}

#[tokio::test]
async fn a_block_and_a_window_of_the_calendar_are_told_until_their_end() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        for call in [true, false] {
            assert_eq!((blocks().await.is_ok(), daily().await.is_ok()), (call, call));
        }
        // The window of the limit has ended, but the block has not. The time is 00:01:59.8 UTC, and 01:01:59.8 in the zone
        // of `daily`.
        clock.advance(Duration::from_millis(119_800));
        let problem = |name| PROBLEM.replace("NAME", name);
        let (retry_after, fields, body) = told(blocks()).await;
        assert_eq!((retry_after, body), (Some(481), problem("brute")));
        assert_eq!(fields, [r#"ratelimit-policy: "brute";q=1;w=60"#, r#"ratelimit: "brute";r=0;t=481"#]);
        let (retry_after, fields, body) = told(daily()).await;
        assert_eq!((retry_after, body), (Some(82_681), problem("quota")));
        assert_eq!(fields, [r#"ratelimit-policy: "quota";q=1;w=86400"#, r#"ratelimit: "quota";r=0;t=82681"#]);
    })
    .await;
}
