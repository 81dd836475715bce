//! The answers of refused actix-web handlers, for each form of return value.

use super::server;
use crate::harness::answers::{self, ApiError};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::web::{self, Json, ServiceConfig};
use actix_web::{Either, HttpRequest, HttpResponse, Responder, ResponseError};
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::fmt;
use support::MINUTE;

/// Declares handlers with one limit for each API key, and their routes.
macro_rules! handlers {
    ($($name:ident $(, $option:ident = $value:expr)? => $returned:ty: $body:expr;)*) => {
        $(#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key" $(, $option = $value)?)]
        async fn $name(_: HttpRequest) -> $returned {
            $body
        })*

        const PATHS: &[&str] = &[$(concat!("/", stringify!($name))),*];

        fn routes(config: &mut ServiceConfig) {
            $(config.route(concat!("/", stringify!($name)), web::get().to($name));)*
        }
    };
}

handlers! {
    text_or_rejection => Result<&'static str, Rejection>: Ok("");
    responder_or_rejection => Result<impl Responder, Rejection>: Ok(Json(1));
    response_or_error => Result<HttpResponse, actix_web::Error>: Ok(HttpResponse::Ok().finish());
    actix_result => actix_web::Result<Json<u8>>: Ok(Json(1));
    responder_or_error => Result<impl Responder, actix_web::Error>: Ok(HttpResponse::NoContent());
    actix_result_of_responder => actix_web::Result<impl Responder>: Ok(String::new());
    response => HttpResponse: HttpResponse::Ok().body("welcome");
    responder => impl Responder: ("welcome", StatusCode::ACCEPTED);
    internal_error => Result<HttpResponse, InternalError<Cause>>: Ok(HttpResponse::Ok().finish());
    error_of_the_application => Result<String, ApiError>: Ok(String::new());
    either, on_limit = Either::Right => Either<&'static str, Rejection>: Either::Left("");
    response_by_hand, on_limit = HttpResponse::from => HttpResponse: HttpResponse::Ok().finish();
    error_by_hand, on_limit = |refused| Err(refused.into()) => actix_web::Result<String>: Ok(String::new());
}

/// The error inside an `InternalError`.
#[derive(Debug)]
struct Cause;

impl From<Rejection> for Cause {
    fn from(_: Rejection) -> Self {
        Self
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl ResponseError for ApiError {
    fn error_response(&self) -> HttpResponse {
        self.0.error_response()
    }
}

#[tokio::test]
async fn all_forms_answer_alike() {
    answers::check(PATHS, &[], async |layer| server::start(layer, routes)).await;
}

/// Other middlewares find the rejection in the response.
#[tokio::test]
async fn a_response_contains_the_rejection() {
    let closed = Limit::try_counter(0, MINUTE).unwrap();
    let rejection = RateLimiter::in_memory().check(&closed, "closed").await.unwrap_err();
    let response = HttpResponse::from(rejection);
    let found: Option<&Rejection> = response.error().and_then(|error| error.as_error());
    assert_eq!(found.map(Rejection::name), Some("closed"));
}
