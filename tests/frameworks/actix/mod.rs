//! actix-web: the contract, over HTTP/1.1 and HTTP/2; what its arguments know; its answers; the layer as its middleware.

mod answers;
mod arguments;
mod hostile;
mod middleware;
mod raw;
pub(crate) mod server;
mod streams;
mod unix;
mod workers;

use crate::harness::client::Version;
use crate::harness::contract::{self, AppError, User, in_context, layer};
use actix_web::dev::{Payload, PeerAddr};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, ResponseError, get};
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;

#[get("/login")]
#[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
async fn login(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

#[rate_limit(key = "above", count = 1, by = "ip")]
#[get("/above")]
async fn above(_: HttpRequest) -> HttpResponse {
    HttpResponse::Ok().body("welcome")
}

#[get("/below")]
#[rate_limit(key = "below", count = 1, by = "ip")]
async fn below(_: PeerAddr) -> impl Responder {
    "welcome"
}

#[get("/key")]
#[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
async fn key(_: HttpRequest) -> actix_web::Result<HttpResponse> {
    Ok(HttpResponse::Ok().finish())
}

impl FromRequest for User {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let named = request.headers().get("x-user").map(|value| value.to_str().unwrap().to_owned());
        ready(Ok(Self(named)))
    }
}

#[get("/user")]
#[rate_limit(key = "user", count = 1, by = "user")]
async fn user(_: User) -> Result<String, Rejection> {
    Ok(String::new())
}

#[get("/stack")]
#[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
#[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
async fn stack(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("")
}

#[get("/context")]
async fn context() -> Result<&'static str, Rejection> {
    in_context().await.map(|()| "")
}

#[get("/spawned")]
async fn spawned() -> Result<&'static str, Rejection> {
    actix_web::rt::spawn(in_context()).await.unwrap().map(|()| "")
}

impl ResponseError for AppError {}

#[get("/swallowed")]
#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_: HttpRequest) -> Result<&'static str, AppError> {
    Ok("")
}

async fn plain() -> &'static str {
    ""
}

async fn upload(_: web::Bytes) -> &'static str {
    ""
}

async fn slow() -> &'static str {
    contract::slow().await;
    ""
}

fn routes(config: &mut ServiceConfig) {
    config.service(login).service(above).service(below).service(key).service(user).service(stack);
    config.service(context).service(spawned).service(swallowed);
    config.route("/plain", web::get().to(plain));
    config.service(web::resource("/layered").wrap(layer("layered")).route(web::get().to(plain)));
    config.service(web::resource("/upload").wrap(layer("upload")).route(web::post().to(upload)));
    config.service(web::resource("/slow").wrap(layer("slow")).route(web::get().to(slow)));
}

async fn serve(limiter: RateLimiter) -> SocketAddr {
    server::start(RateLimitLayer::new().limiter(limiter), routes)
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(&[Version::Http1, Version::Http2], serve).await;
}
