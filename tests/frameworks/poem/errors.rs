//! Errors of poem that reach the layer. Refusals become responses, and other errors stay errors.

use super::server::{from, second};
use crate::harness::contract::in_context;
use crate::harness::limiters::still_layer;
use poem::error::{InternalServerError, NotFoundError, ServiceUnavailable};
use poem::http::StatusCode;
use poem::{Endpoint, EndpointExt, Error, PathPattern, Request, Route, get, handler};
use ratelimit::answer::Answers;
use ratelimit::{Rejection, rate_limit};
use std::fmt;

/// Returns a refusal as `Box<dyn Error>`, which accepts every error.
#[handler]
#[rate_limit(key = "boxed", time = 60, count = 1, by = "ip")]
async fn boxed(_: &Request) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Ok(())
}

/// Returns a refusal as another error of poem.
#[handler]
async fn wrapped() -> poem::Result<()> {
    in_context().await.map_err(InternalServerError)
}

/// Returns only the status of a refusal.
#[handler]
#[rate_limit(key = "status", time = 60, count = 1, by = "ip")]
async fn bare_status(_: &Request) -> Result<(), StatusCode> {
    Ok(())
}

#[derive(Debug)]
struct Failed(Rejection);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task has failed")
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// The spawned task has no context in which it could record its rejection.
#[handler]
async fn task() -> poem::Result<()> {
    let done = tokio::spawn(in_context()).await.unwrap();
    done.map_err(|rejection| InternalServerError(Failed(rejection)))
}

/// A login that fails.
#[handler]
#[rate_limit(key = "login", time = 60, count = 5, by = "ip")]
async fn login(_: &Request) -> poem::Result<()> {
    Err(Error::from_string("wrong password", StatusCode::UNAUTHORIZED))
}

#[handler]
#[rate_limit(key = "limited", time = 60, count = 1, by = "ip")]
async fn limited(_: &Request) -> poem::Result<()> {
    Ok(())
}

fn routes() -> Route {
    Route::new()
        .at("/boxed", get(boxed))
        .at("/wrapped", get(wrapped))
        .at("/status", get(bare_status))
        .at("/task", get(task))
        .at("/login", get(login))
        .at("/limited", get(limited))
}

#[tokio::test]
async fn errors_that_swallow_a_refusal_are_mended() {
    for (path, left_alone, corrected) in [("/boxed", 500, 429), ("/wrapped", 500, 429), ("/status", 429, 429)]
    {
        for (corrects, status) in [(false, left_alone), (true, corrected)] {
            let response = second(&routes().with(still_layer().correct_status(corrects)), path).await;
            assert_eq!(
                (response.status().as_u16(), response.header("retry-after")),
                (status, Some("60")),
                "{path}"
            );
            assert!(response.header("ratelimit").unwrap().contains(";r=0;t="), "{path}");
        }
    }
}

#[tokio::test]
async fn the_rejection_of_a_task_is_found_in_the_error() {
    for (corrects, status) in [(false, 500), (true, 503)] {
        let app = routes().with(still_layer().correct_status(corrects));
        let response = app.get_response(from(1, "/task")).await;
        assert_eq!((response.status().as_u16(), response.header("retry-after")), (status, Some("1")));
        assert_eq!(response.into_body().into_string().await.unwrap(), "a task has failed");
    }
}

/// Middlewares around the layer may log the error, or roll back because of it.
#[tokio::test]
async fn another_error_stays_an_error_and_has_the_header_fields() {
    let app = routes().with(still_layer());
    let error = app.call(from(1, "/login")).await.unwrap_err();
    assert_eq!((error.status(), error.to_string().as_str()), (StatusCode::UNAUTHORIZED, "wrong password"));
    assert_eq!(error.data::<PathPattern>().map(|pattern| &*pattern.0), Some("/login"));
    let response = error.into_response();
    assert_eq!(response.header("ratelimit-policy"), Some(r#""login";q=5;w=60"#));
    assert!(response.header("ratelimit").unwrap().starts_with(r#""login";r=4;t="#));
    assert_eq!(response.header("retry-after"), None);
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.into_body().into_string().await.unwrap(), "wrong password");
}

#[tokio::test]
async fn the_error_of_a_request_without_limits_keeps_its_type() {
    let app = routes().with(still_layer()).catch_error(async |_: NotFoundError| StatusCode::IM_A_TEAPOT);
    let response = app.get_response(from(1, "/unknown")).await;
    assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
}

/// No middleware around the layer removes `Retry-After`.
#[tokio::test]
async fn a_refusal_becomes_a_response() {
    let app = routes().with(still_layer()).catch_all_error(async |_| StatusCode::IM_A_TEAPOT);
    let response = second(&app, "/limited").await;
    assert_eq!((response.status().as_u16(), response.header("retry-after")), (429, Some("60")));
    assert_eq!(response.header("ratelimit-policy"), Some(r#""limited";q=1;w=60"#));
    assert_eq!(response.data::<PathPattern>().map(|pattern| &*pattern.0), Some("/limited"));
}

/// A middleware that catches errors inside the layer finds the rejection, and may answer it in its own way.
#[tokio::test]
async fn a_refusal_can_be_caught_inside_the_layer() {
    let own =
        async |rejection: Rejection| (StatusCode::TOO_MANY_REQUESTS, rejection.public_name().to_owned());
    let response = second(&routes().catch_error(own).with(still_layer()), "/limited").await;
    assert_eq!((response.status().as_u16(), response.header("retry-after")), (429, Some("60")));
    assert_eq!(response.into_body().into_string().await.unwrap(), "limited");
}

/// If an error has the status of the refusal, the layer answers it as the refusal. If it has another status, the layer only
/// adds `Retry-After` and the header fields.
#[tokio::test]
async fn the_status_of_an_error_tells_whether_it_is_a_refusal() {
    let app = |wrap: fn(Rejection) -> Error| {
        let answer = move |_| async move { in_context().await.map_err(wrap) };
        poem::endpoint::make(answer).with(still_layer().answers(Answers::problem_json()))
    };
    let right = second(&app(Error::from), "/").await;
    assert_eq!((right.status().as_u16(), right.content_type()), (429, Some("application/problem+json")));
    let wrong = second(&app(ServiceUnavailable), "/").await;
    assert_eq!((wrong.status().as_u16(), wrong.content_type()), (503, None));
    assert_eq!(wrong.header("retry-after"), Some("60"));
}
