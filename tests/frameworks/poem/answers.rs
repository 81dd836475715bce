//! The answers of refused poem handlers, for each form of return value.

use super::server;
use crate::harness::answers::{self, ApiError, Welcome, all_answer_in_text};
use crate::harness::limiters::failing;
use poem::error::ResponseError;
use poem::http::StatusCode;
use poem::web::{Html, Json};
use poem::{Body, Endpoint, EndpointExt, IntoResponse, Request, Response, Route, get, handler};
use ratelimit::{RateLimiter, Rejection, rate_limit};

/// Declares handlers with one limit for each API key, and their routes.
macro_rules! handlers {
    ($($name:ident $(, $option:ident $(= $value:expr)?)? => $returned:ty: $body:expr;)*) => {
        $(#[handler]
        #[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key" $(, $option $(= $value)?)?)]
        async fn $name(_: &Request) -> $returned {
            $body
        })*

        const PATHS: &[&str] = &[$(concat!("/", stringify!($name))),*];

        fn routes() -> Route {
            Route::new()$(.at(concat!("/", stringify!($name)), get($name)))*.at(OUTSIDE[0], get(outside))
        }
    };
}

handlers! {
    text_or_rejection => Result<&'static str, Rejection>: Ok("");
    json_or_rejection => Result<Json<u8>, Rejection>: Ok(Json(1));
    into_response_or_rejection => Result<impl IntoResponse, Rejection>: Ok(Html("<p>"));
    nothing_or_rejection => Result<(), Rejection>: Ok(());
    poem_result => poem::Result<Json<u8>>: Ok(Json(1));
    poem_result_of_response => poem::Result<Response>: Ok("welcome".into_response());
    poem_result_of_into_response => poem::Result<impl IntoResponse>: Ok((StatusCode::ACCEPTED, "welcome"));
    response => Response: Response::builder().body("welcome");
    into_response => impl IntoResponse: "welcome".with_header("x-inner", "yes");
    body_or_rejection => Result<Body, Rejection>: Ok(Body::from_string("welcome".to_owned()));
    response_by_hand, on_limit = Response::from => Response: Response::default();
    into_response_by_hand, on_limit = IntoResponse::into_response => Response: Response::default();
    error_by_hand, on_limit = |refused| Err(refused.into()) => poem::Result<String>: Ok(String::new());
    plain_text, fallible => String: "welcome".to_owned();
    plain_json, fallible => Json<u8>: Json(1);
    nothing, fallible => (): ();
    own_type => Welcome: Welcome::Yes;
}

/// The error of this handler becomes a response outside of the layer.
#[handler]
#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
async fn outside(_: &Request) -> Result<String, ApiError> {
    Ok(String::new())
}

const OUTSIDE: &[&str] = &["/outside"];

impl ResponseError for ApiError {
    fn status(&self) -> StatusCode {
        ResponseError::status(&self.0)
    }

    fn as_response(&self) -> Response {
        self.0.as_response()
    }
}

impl IntoResponse for Welcome {
    fn into_response(self) -> Response {
        match self {
            Self::Yes => "welcome".into_response(),
            Self::Refused(rejection) => rejection.into_response(),
        }
    }
}

#[tokio::test]
async fn all_forms_answer_alike() {
    answers::check(PATHS, OUTSIDE, async |layer| server::start(routes().with(layer)).await).await;
}

#[tokio::test]
async fn all_forms_answer_without_the_layer() {
    let start = async |limiter: RateLimiter| {
        server::start(routes().around(move |endpoint, request| {
            ratelimit::scope(limiter.clone(), async move { Endpoint::call(&endpoint, request).await })
        }))
        .await
    };
    let servers = [start(RateLimiter::in_memory()).await, start(failing().await).await];
    all_answer_in_text(servers, &[PATHS, OUTSIDE].concat()).await;
}
