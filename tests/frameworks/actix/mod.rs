//! Tests of actix-web: the contract over HTTP/1.1 and HTTP/2, unix sockets, arguments, answers, and the layer as a
//! middleware.

mod answers;
mod arguments;
mod hostile;
mod middleware;
pub(crate) mod server;
mod streams;
mod workers;

use crate::harness::contract::{self, AppError, User, in_context, layer};
#[cfg(target_os = "linux")]
use crate::harness::unix;
use actix_web::dev::{Payload, PeerAddr};
use actix_web::web::{self, ServiceConfig};
use actix_web::{App, FromRequest, HttpRequest, HttpResponse, HttpServer, Responder, ResponseError, get};
use ratelimit::{Rejection, rate_limit};
use std::convert::Infallible;
use std::future::{Ready, ready};

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

async fn met() -> String {
    contract::met()
}

async fn upload(_: web::Bytes) -> &'static str {
    ""
}

async fn slow() -> &'static str {
    contract::slow().await;
    ""
}

fn routes(config: &mut ServiceConfig) {
    let layered = web::resource("/layered").wrap(layer("inner")).wrap(layer("outer"));
    config.service(login).service(above).service(below).service(key).service(user).service(stack);
    config.service(context).service(spawned).service(swallowed);
    config.route("/plain", web::get().to(plain)).service(layered.route(web::get().to(met)));
    let formed = web::resource("/formed").wrap(layer("formed"));
    config.service(formed.route(web::get().to(async || in_context().await.map(|()| ""))));
    config.service(web::resource("/upload").wrap(layer("upload")).route(web::post().to(upload)));
    config.service(web::resource("/slow").wrap(layer("slow")).route(web::get().to(slow)));
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(async |layer| server::start(layer, routes)).await;
}

/// actix-web itself does not expose the peer of a unix socket. A client without a known address must not be trusted.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_unix_socket_can_be_a_trusted_proxy_if_the_server_says_that_it_is_one() {
    use actix_web::dev::Extensions;
    use std::any::Any;

    type OnConnect = fn(&dyn Any, &mut Extensions);
    let mark: OnConnect = |connection, data| {
        if connection.is::<tokio::net::UnixStream>() {
            data.insert(ratelimit::identity::PeerAddr::Unix);
        }
    };
    for (is_marked, on_connect) in [(true, mark), (false, |_, _| {})] {
        unix::check(is_marked, |listener, layer| {
            let app = move || App::new().configure(routes).wrap(layer.clone());
            let server = HttpServer::new(app).on_connect(on_connect).workers(1).disable_signals();
            tokio::spawn(server.listen_uds(listener).unwrap().run());
        })
        .await;
    }
}
