//! The answers of refused handlers and guards of rocket, for each form of return value.

use super::{above, build, client, get_from, serve};
use crate::harness::answers::{self, ask};
use crate::harness::client::{Client, Version};
use crate::harness::limiters::failing;
use ratelimit::rocket::RequestHead;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use rocket::http::{ContentType, Status};
use rocket::request::{FromRequest, Outcome};
use rocket::response::status::Custom;
use rocket::response::{self, Redirect, Responder, Response};
use rocket::{Build, Request, Rocket, Route, catch, catchers, get, routes};

/// Declares handlers with one limit for each API key, and their routes.
macro_rules! handlers {
    ($($path:tt $name:ident $(, $option:ident $(= $value:expr)?)? => $returned:ty: $body:expr;)*) => {
        $(#[get($path)]
        #[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key" $(, $option $(= $value)?)?)]
        async fn $name(_head: RequestHead<'_>) -> $returned {
            $body
        })*

        fn handlers() -> Vec<Route> {
            routes![$($name),*]
        }
    };
}

handlers! {
    "/rejection" rejection => Result<&'static str, Rejection>: Ok("fine");
    "/opaque" opaque => impl for<'r> Responder<'r, 'static>: (ContentType::JSON, "fine");
    "/redirect" redirect, fallible => Redirect: Redirect::to("/elsewhere");
    "/nothing" nothing, fallible => (): ();
    "/own_error" own_error => Result<&'static str, ApiError>: Ok("fine");
    "/computed" computed, on_limit = |rejection| Err(rejection.into()) => Result<&'static str, (Status, Rejection)>: Ok("fine");
    "/pair" pair => Result<&'static str, (Status, String)>: Ok("fine");
    "/custom" custom => Result<&'static str, Custom<String>>: Ok("fine");
    "/bare_pair" bare_pair => (Status, String): (Status::Ok, "fine".to_owned());
    "/bare_custom" bare_custom => Custom<String>: Custom(Status::Ok, "fine".to_owned());
    "/status" status => Result<&'static str, Status>: Ok("fine");
    "/bare_status" bare_status => Status: Status::Ok;
}

const PATHS: [&str; 7] =
    ["/rejection", "/opaque", "/redirect", "/nothing", "/own_error", "/computed", "/maybe"];
/// The handlers that return a text. Their answers have the content type of a text.
const TEXTS: [&str; 4] = ["/pair", "/custom", "/bare_pair", "/bare_custom"];
/// The handlers that return only a status. A catcher of the application writes the body.
const CAUGHT: [&str; 3] = ["/status", "/bare_status", "/guard"];

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key", fallible)]
#[get("/maybe")]
async fn maybe(_head: RequestHead<'_>) -> Option<String> {
    Some("fine".to_owned())
}

#[derive(Responder)]
enum ApiError {
    Limited(Rejection),
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        Self::Limited(rejection)
    }
}

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
async fn limited_guard(_request: &Request<'_>) -> Result<(), Rejection> {
    Ok(())
}

/// A guard that is limited.
struct Guard;

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Guard {
    type Error = Rejection;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, Rejection> {
        match limited_guard(request).await {
            Ok(()) => Outcome::Success(Self),
            Err(rejection) => Outcome::Error(rejection.into()),
        }
    }
}

#[get("/guard")]
fn guarded(_guard: Guard) -> &'static str {
    "fine"
}

/// A responder like those of applications. The compiler can infer the error type of `ok()`, because `Status` has no other
/// conversions.
struct NotModified;

impl<'r> Responder<'r, 'static> for NotModified {
    fn respond_to(self, _: &'r Request<'_>) -> response::Result<'static> {
        let mut response = Response::build().status(Status::NotModified).ok()?;
        response.set_raw_header("etag", "7");
        Ok(response)
    }
}

#[get("/not_modified")]
fn not_modified() -> NotModified {
    NotModified
}

#[catch(429)]
fn too_many() -> &'static str {
    "the catcher"
}

fn application() -> Rocket<Build> {
    let rocket = build().mount("/", handlers()).mount("/", routes![maybe, guarded, not_modified]);
    rocket.register("/", catchers![too_many])
}

async fn serve_in(layer: RateLimitLayer) -> std::net::SocketAddr {
    serve(application().attach(layer)).await
}

#[tokio::test]
async fn all_forms_answer_alike() {
    answers::check(&PATHS, &TEXTS, serve_in).await;
}

#[tokio::test]
async fn a_catcher_keeps_the_time_to_wait() {
    let layer = RateLimitLayer::new();
    let served = serve_in(layer.clone().limiter(RateLimiter::in_memory())).await;
    let client = Client::new(served, Version::Http1);
    let unlucky = Client::new(serve_in(layer.limiter(failing().await)).await, Version::Http1);
    for path in CAUGHT {
        assert_eq!(ask(&client, path, path).await.status, 200, "{path}");
        let refused = ask(&client, path, path).await;
        assert_eq!((refused.status, refused.body.as_str()), (429, "the catcher"), "{path}");
        assert!(refused.header("retry-after").is_some(), "{path}");
        let unavailable = ask(&unlucky, path, path).await;
        assert_eq!((unavailable.status, unavailable.header("retry-after")), (503, Some("1")), "{path}");
    }
}

/// Without the layer, all forms that contain the `Rejection` give the same answer. The other forms have no `Retry-After`.
#[tokio::test]
async fn a_rejection_needs_no_layer() {
    let (client, limiter) = (client(application()).await, RateLimiter::in_memory());
    for (path, says_when) in
        [("/rejection", true), ("/opaque", true), ("/computed", true), ("/status", false), ("/pair", false)]
    {
        let request = || get_from(&client, path, 1).header(rocket::http::Header::new("x-api-key", path));
        let ask = || ratelimit::scope(limiter.clone(), request().dispatch());
        assert_eq!(ask().await.status(), Status::Ok, "{path}");
        let refused = ask().await;
        assert_eq!(refused.status(), Status::TooManyRequests, "{path}");
        assert_eq!(refused.headers().contains("retry-after"), says_when, "{path}");
    }
}

/// A request without the address of a client is rejected as unavailable.
#[tokio::test]
async fn a_request_without_a_peer_is_not_let_through() {
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let client = client(build().attach(layer).mount("/", routes![above])).await;
    assert_eq!(client.get("/above").dispatch().await.status(), Status::ServiceUnavailable);
}
