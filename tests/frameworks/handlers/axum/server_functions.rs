//! Server functions of leptos and dioxus, which run behind axum. Their macros are stand-ins that write the same code as the
//! real macros in a server build.

use super::{bare, layered, outcome};
use axum::Router;
use axum::extract::Request;
use axum::http::header::RETRY_AFTER;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use std::sync::{Arc, Mutex};

/// The error type of leptos. It accepts every error, so the attribute compiles without a change, and the client would
/// receive 500. The layer reports this and corrects the answer.
#[derive(Debug)]
struct ServerFnError(String);

impl<E: std::error::Error> From<E> for ServerFnError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl IntoResponse for ServerFnError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, format!("ServerError|{}", self.0)).into_response()
    }
}

/// Writes the same two functions as leptos' `#[server]`. The application calls the first one, also while it renders a page.
/// The endpoint calls the second one, which has the body. Attributes below `#[server]` apply to both functions. Attributes
/// above `#[server]` apply only to the function with the body.
macro_rules! server {
    ([$($below:meta)?] [$($above:meta)?] $name:ident, $body:ident) => {
        $(#[$below])?
        async fn $name(title: String) -> Result<(), ServerFnError> {
            $body(title).await
        }

        $(#[$above])?
        $(#[$below])?
        async fn $body(title: String) -> Result<(), ServerFnError> {
            drop(title);
            Ok(())
        }
    };
}

// With `by = "ip"`, the compiler says: "no argument of this function has the address of the client", with the note "in a
// function that cannot have such an argument, write `by = ratelimit::context::client_ip()` and add `RateLimitLayer` to the
// service". An additional argument would become part of the interface of the server function.
server!([] [rate_limit(key = "above", count = 2, by = ratelimit::context::client_ip())] add_todo, add_todo_body);
server!([rate_limit(key = "below", count = 2, by = ratelimit::context::client_ip())] [] add_todo_twice, add_todo_twice_body);

fn leptos() -> Router {
    let title = || "bread".to_owned();
    Router::new()
        .route("/endpoint", get(move || add_todo_body(title())))
        .route("/rendered", get(move || add_todo(title())))
        .route("/twice/endpoint", get(move || add_todo_twice_body(title())))
        .route("/twice/rendered", get(move || add_todo_twice(title())))
}

/// The documentation says to write the limit above `#[server]`. With the limit below `#[server]`, a call from a page that is
/// rendered passes two limited functions and counts twice. A request to the endpoint counts once. The layer corrects the
/// answer, which would be 500.
#[tokio::test]
async fn below_the_macro_a_rendered_call_counts_twice() {
    for (path, statuses) in [
        ("/endpoint", [200, 200, 429].as_slice()),
        ("/rendered", &[200, 200, 429]),
        ("/twice/endpoint", &[200, 200, 429]),
        ("/twice/rendered", &[200, 429]),
    ] {
        let client = layered(leptos(), RateLimitLayer::new()).await;
        for status in statuses {
            assert_eq!(client.get(path).await.status, *status, "{path}");
        }
    }
}

/// The error type of dioxus, which accepts every error. If it contains an `HttpError`, the server uses the status of this
/// error.
struct CapturedError(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for CapturedError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

#[derive(Debug)]
struct HttpError {
    status: u16,
}

impl std::fmt::Display for HttpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {}", self.status)
    }
}

impl std::error::Error for HttpError {}

impl IntoResponse for CapturedError {
    fn into_response(self) -> Response {
        let status = self.0.downcast_ref::<HttpError>().map_or(500, |error| error.status);
        (StatusCode::from_u16(status).unwrap(), self.0.to_string()).into_response()
    }
}

tokio::task_local! {
    /// Stands in for the part of dioxus' `FullstackContext` that has the headers of the response:
    /// `FullstackContext::current()` and `add_response_header`.
    static RESPONSE_HEADERS: Arc<Mutex<HeaderMap>>;
}

/// Runs a server function like dioxus: in a separate task, which has the context of dioxus and no other context.
async fn in_a_task<F>(function: F) -> Response
where
    F: Future<Output = Result<(), CapturedError>> + Send + 'static,
{
    let headers = Arc::<Mutex<HeaderMap>>::default();
    let mut response =
        tokio::spawn(RESPONSE_HEADERS.scope(headers.clone(), function)).await.unwrap().into_response();
    response.headers_mut().extend(headers.lock().unwrap().drain());
    response
}

/// The error of a refused call. It has the status of the refusal, and the response receives `Retry-After`. The page about
/// frameworks shows this function.
#[expect(clippy::needless_pass_by_value, reason = "`on_limit` is called with a `Rejection`")]
fn refused<T>(rejection: Rejection) -> Result<T, CapturedError> {
    let answer = rejection.answer();
    if let Some(seconds) = answer.retry_after {
        RESPONSE_HEADERS.with(|headers| headers.lock().unwrap().insert(RETRY_AFTER, seconds.into()));
    }
    Err(HttpError { status: answer.status }.into())
}

struct Session;

/// `#[post("/api/user/login", auth: Session)]` adds the argument `auth`, so the limit must be below `#[post]`. The compiler's
/// advice for `by = "ip"` compiles, but each call is rejected, because the task has no request context. The log names the
/// argument that helps.
#[rate_limit(key = "login_of_context", count = 1, by = ratelimit::context::client_ip())]
async fn login_of_context(auth: Session) -> Result<(), CapturedError> {
    let Session = auth;
    Ok(())
}

/// `#[post("/api/user/login", auth: Session, request: Parts)]` adds an argument with the address. `on_limit = refused` makes
/// the error, so that the client receives the status and `Retry-After` of the refusal. Without `on_limit` the client receives
/// 500, and the layer does not know of the refusal.
#[rate_limit(key = "login", count = 1, by = "ip", on_limit = refused)]
async fn login(auth: Session, request: Parts) -> Result<(), CapturedError> {
    let (Session, _) = (auth, request);
    Ok(())
}

fn dioxus() -> Router {
    Router::new()
        .route("/context", get(|| in_a_task(login_of_context(Session))))
        .route("/login", get(|request: Request| in_a_task(login(Session, request.into_parts().0))))
}

#[tokio::test]
async fn a_server_function_in_a_task_needs_the_address_among_its_arguments() {
    // The task is also outside of the limiter's scope, so the default limiter decides.
    let client = bare(dioxus()).await;
    let _ = support::take_events();
    assert_eq!(outcome(&client.get("/context").await), (500, None));
    let events = support::take_events();
    let logged = |words: &str| events.iter().any(|event| event.to_string().contains(words));
    assert!(logged("limit=login_of_context") && logged("take `request: Parts`"), "{events:?}");

    for expected in [(200, None), (429, Some("60"))] {
        assert_eq!(outcome(&client.get("/login").await), expected);
    }
}
