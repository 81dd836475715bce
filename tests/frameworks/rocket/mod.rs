//! Tests of rocket: the contract over HTTP/1.1 and HTTP/2.

mod answers;
mod contexts;
mod hostile;
mod layer;
mod local;
mod streams;

use crate::harness::contract::{self, AppError, User, in_context};
use ratelimit::rocket::RequestHead;
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use rocket::fairing::AdHoc;
use rocket::http::Status;
use rocket::local::asynchronous::{Client, LocalRequest};
use rocket::request::{FromRequest, Outcome};
use rocket::response::Responder;
use rocket::{Build, Config, Request, Rocket, get, routes};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Mutex;
use tokio::sync::oneshot;

#[get("/login")]
#[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
async fn login(_head: RequestHead<'_>) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

#[rate_limit(key = "above", count = 1, by = "ip")]
#[get("/above")]
async fn above(_head: RequestHead<'_>) -> (Status, String) {
    (Status::Ok, "welcome".to_owned())
}

#[get("/below")]
#[rate_limit(key = "below", count = 1, by = "ip")]
async fn below<'r>(_peer: SocketAddr) -> impl Responder<'r, 'static> {
    "welcome"
}

#[get("/key")]
#[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
async fn key(_head: RequestHead<'_>) -> Result<(), Rejection> {
    Ok(())
}

#[get("/user")]
#[rate_limit(key = "user", count = 1, by = "user")]
async fn user(_user: User) -> Result<(), Rejection> {
    Ok(())
}

#[get("/stack")]
#[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
#[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
async fn stack(_peer: SocketAddr) -> Result<(), Rejection> {
    Ok(())
}

#[rocket::async_trait]
impl<'r> FromRequest<'r> for User {
    type Error = Infallible;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, Infallible> {
        Outcome::Success(Self(request.headers().get_one("x-user").map(str::to_owned)))
    }
}

#[get("/context")]
async fn context() -> Result<(), Rejection> {
    in_context().await
}

#[get("/spawned")]
async fn spawned() -> Result<(), Rejection> {
    tokio::spawn(in_context()).await.unwrap()
}

impl<'r> Responder<'r, 'static> for AppError {
    fn respond_to(self, request: &'r Request<'_>) -> rocket::response::Result<'static> {
        (Status::InternalServerError, "something went wrong").respond_to(request)
    }
}

#[get("/swallowed")]
#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_peer: SocketAddr) -> Result<(), AppError> {
    Ok(())
}

#[get("/plain")]
fn plain() {}

fn application(layer: RateLimitLayer) -> Rocket<Build> {
    let application = build().attach(layer).mount("/", routes![login, above, below, key, user, stack]);
    application.mount("/", routes![context, spawned, swallowed, plain])
}

/// Builds an application that logs nothing, and leaves signals to the test process.
fn build() -> Rocket<Build> {
    let mut config = Config { port: 0, log_level: rocket::config::LogLevel::Off, ..Config::debug_default() };
    config.shutdown.ctrlc = false;
    config.shutdown.signals.clear();
    rocket::custom(config)
}

/// Serves an application until the test's runtime ends.
async fn serve(application: Rocket<Build>) -> SocketAddr {
    let (sender, receiver) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let announce = AdHoc::on_liftoff("announce", move |rocket| {
        let address = SocketAddr::new(rocket.config().address, rocket.config().port);
        sender.lock().unwrap().take().unwrap().send(address).unwrap();
        Box::pin(async {})
    });
    tokio::spawn(application.attach(announce).launch());
    receiver.await.unwrap()
}

/// Returns a local client of an application.
async fn client(application: Rocket<Build>) -> Client {
    Client::untracked(application).await.unwrap()
}

/// Returns a request from the address 203.0.113.`last`.
fn get_from<'c>(client: &'c Client, path: &'c str, last: u8) -> LocalRequest<'c> {
    client.get(path).remote(SocketAddr::from(([203, 0, 113, last], 1000)))
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check_without_layers(|layer| serve(application(layer))).await;
}
