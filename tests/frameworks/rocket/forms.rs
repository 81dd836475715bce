//! Handlers and guards of rocket, for each form of return value, that admit one call per address.

use super::build;
use ratelimit::rocket::RequestHead;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use rocket::http::{ContentType, Status};
use rocket::request::{FromRequest, Outcome};
use rocket::response::status::Custom;
use rocket::response::stream::{Event, EventStream};
use rocket::response::{self, Debug, Redirect, Responder, Response};
use rocket::{Build, Request, Rocket, catch, catchers, get, routes};
use std::net::SocketAddr;

#[get("/rejection")]
#[rate_limit(key = "rejection", count = 1, by = "ip")]
async fn rejection(_peer: SocketAddr) -> Result<&'static str, Rejection> {
    Ok("fine")
}

#[get("/opaque")]
#[rate_limit(key = "opaque", count = 1, by = "ip")]
async fn opaque<'r>(_peer: SocketAddr) -> impl Responder<'r, 'static> {
    (ContentType::JSON, "fine")
}

/// A responder in the style of rocket's users: the type of the error is inferred, because `Status` has no conversions.
struct NotModified;

impl<'r> Responder<'r, 'static> for NotModified {
    fn respond_to(self, _: &'r Request<'_>) -> response::Result<'static> {
        let mut response = Response::build().status(Status::NotModified).ok()?;
        response.set_raw_header("etag", "7");
        Ok(response)
    }
}

#[get("/not_modified")]
#[rate_limit(key = "not_modified", count = 1, by = "ip")]
async fn not_modified(_peer: SocketAddr) -> Result<NotModified, Rejection> {
    Ok(NotModified)
}

#[get("/status")]
#[rate_limit(key = "status", count = 1, by = "ip")]
async fn status(_peer: SocketAddr) -> Result<&'static str, Status> {
    Ok("fine")
}

#[get("/pair")]
#[rate_limit(key = "pair", count = 1, by = "ip")]
async fn pair(_peer: SocketAddr) -> Result<&'static str, (Status, String)> {
    Ok("fine")
}

#[get("/custom")]
#[rate_limit(key = "custom", count = 1, by = "ip")]
async fn custom(_peer: SocketAddr) -> Result<&'static str, Custom<String>> {
    Ok("fine")
}

#[get("/bare_status")]
#[rate_limit(key = "bare_status", count = 1, by = "ip")]
async fn bare_status(_peer: SocketAddr) -> Status {
    Status::Ok
}

#[get("/bare_pair")]
#[rate_limit(key = "bare_pair", count = 1, by = "ip")]
async fn bare_pair(_peer: SocketAddr) -> (Status, String) {
    (Status::Ok, "fine".to_owned())
}

#[get("/bare_custom")]
#[rate_limit(key = "bare_custom", count = 1, by = "ip")]
async fn bare_custom(_peer: SocketAddr) -> Custom<String> {
    Custom(Status::Ok, "fine".to_owned())
}

#[get("/fallible?<page>")]
#[rate_limit(key = "fallible", count = 1, by = "ip", fallible)]
async fn fallible(_peer: SocketAddr, page: &str) -> Redirect {
    Redirect::to(page.to_owned())
}

#[rate_limit(key = "maybe", count = 1, by = "ip", fallible)]
#[get("/maybe?<there>")]
async fn maybe(_peer: SocketAddr, there: bool) -> Option<String> {
    there.then(|| "fine".to_owned())
}

#[get("/nothing")]
#[rate_limit(key = "nothing", count = 1, by = "ip", fallible)]
async fn nothing(_peer: SocketAddr) {}

#[get("/events")]
#[rate_limit(key = "stream", count = 1, by = "ip", fallible)]
async fn events(_peer: SocketAddr) -> EventStream![] {
    EventStream! {
        yield Event::data("fine");
    }
}

#[derive(Responder)]
enum ApiError {
    Limited(Rejection),
    #[response(status = 404)]
    Missing(&'static str),
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        Self::Limited(rejection)
    }
}

#[get("/own_error?<missing>")]
#[rate_limit(key = "own_error", count = 1, by = "ip")]
async fn own_error(_peer: SocketAddr, missing: bool) -> Result<&'static str, ApiError> {
    if missing { Err(ApiError::Missing("nothing here")) } else { Ok("fine") }
}

#[get("/computed")]
#[rate_limit(key = "computed", count = 1, by = "ip", on_limit = |rejection| Err(rejection.into()))]
async fn computed(_peer: SocketAddr) -> Result<&'static str, (Status, Rejection)> {
    Ok("fine")
}

#[get("/swallowed")]
#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_peer: SocketAddr) -> Result<&'static str, Debug<Rejection>> {
    Ok("fine")
}

#[rate_limit(key = "guard", count = 1, by = "ip")]
async fn limited_guard(_request: &Request<'_>) -> Result<(), Rejection> {
    Ok(())
}

/// A guard that is limited itself.
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

#[get("/key")]
#[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
async fn key(_head: RequestHead<'_>) -> Result<&'static str, Rejection> {
    Ok("fine")
}

#[catch(429)]
fn too_many() -> &'static str {
    "the catcher"
}

pub(super) fn application(layer: Option<RateLimitLayer>) -> Rocket<Build> {
    let rocket = build().mount("/", routes![rejection, opaque, status, pair, custom, bare_status, bare_pair]);
    let rocket = rocket.mount(
        "/",
        routes![
            bare_custom,
            fallible,
            maybe,
            nothing,
            not_modified,
            events,
            own_error,
            computed,
            swallowed,
            guarded,
            key
        ],
    );
    let rocket = rocket.register("/", catchers![too_many]);
    layer.into_iter().fold(rocket, Rocket::attach)
}
