//! Tests of poem: the contract over HTTP/1.1 and HTTP/2, and unix sockets.

mod addresses;
mod answers;
mod arguments;
mod errors;
mod hostile;
mod middleware;
mod openapi;
pub(crate) mod server;
mod streams;

use crate::harness::contract::{self, AppError, User, in_context, layer};
#[cfg(target_os = "linux")]
use crate::harness::unix;
use poem::error::ResponseError;
use poem::http::{HeaderMap, StatusCode};
#[cfg(target_os = "linux")]
use poem::listener::UnixAcceptor;
use poem::web::{RealIp, RemoteAddr};
use poem::{
    Endpoint, EndpointExt, FromRequest, IntoResponse, Request, RequestBody, Response, Route, Server, get,
    handler, post,
};
use ratelimit::{Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use support::{MINUTE, limited};

#[handler]
#[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
async fn login(_: &Request) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

/// `RealIp` is read from a header that anybody can send, so the request takes precedence.
#[rate_limit(key = "above", count = 1, by = "ip")]
#[handler]
async fn above(_: RealIp, _: &Request) -> Response {
    "welcome".into_response()
}

#[handler]
#[rate_limit(key = "below", count = 1, by = "ip")]
async fn below(_: &RemoteAddr) -> impl IntoResponse {
    "welcome"
}

limited! {
    #[handler] #[rate_limit(key = "key", count = 1, by = "header:x-api-key")] key(_: &HeaderMap);
    #[handler] #[rate_limit(key = "user", count = 1, by = "user")] user(_: User);
    #[handler]
    #[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
    #[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
    stack(_: &Request);
}

impl<'a> FromRequest<'a> for User {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self(request.header("x-user").map(str::to_owned)))
    }
}

#[handler]
async fn context() -> Result<(), Rejection> {
    in_context().await
}

#[handler]
async fn spawned() -> Result<(), Rejection> {
    tokio::spawn(in_context()).await.unwrap()
}

impl From<AppError> for poem::Error {
    fn from(_: AppError) -> Self {
        Self::from_string("something went wrong", StatusCode::INTERNAL_SERVER_ERROR)
    }
}

#[handler]
#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_: &Request) -> Result<(), AppError> {
    Ok(())
}

#[handler]
fn plain() {}

#[handler]
fn met() -> String {
    contract::met()
}

#[handler]
fn upload(_: String) {}

#[handler]
async fn slow() {
    contract::slow().await;
}

fn app(outermost: RateLimitLayer) -> impl Endpoint {
    Route::new()
        .at("/login", get(login))
        .at("/above", get(above))
        .at("/below", get(below))
        .at("/key", get(key))
        .at("/user", get(user))
        .at("/stack", get(stack))
        .at("/context", get(context))
        .at("/spawned", get(spawned))
        .at("/swallowed", get(swallowed))
        .at("/plain", get(plain))
        .at("/layered", get(met).with(layer("inner")).with(layer("outer")))
        .at("/formed", get(context).with(layer("formed")))
        .at("/upload", post(upload).with(layer("upload")))
        .at("/slow", get(slow).with(layer("slow")))
        .with(outermost)
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(async |layer| server::start(app(layer)).await).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_unix_socket_can_be_a_trusted_proxy() {
    unix::check(true, |listener, layer| {
        let server = Server::new_with_acceptor(UnixAcceptor::from_std(listener).unwrap());
        tokio::spawn(server.run(app(layer)));
    })
    .await;
}

#[tokio::test]
async fn an_error_of_poem_is_the_rejection() {
    let closed = Limit::try_counter(0, MINUTE).unwrap();
    let rejection = RateLimiter::in_memory().check(&closed, "closed").await.unwrap_err();
    assert_eq!(ResponseError::status(&rejection), StatusCode::TOO_MANY_REQUESTS);
    let error = poem::Error::from(rejection);
    assert_eq!(error.downcast_ref().map(Rejection::name), Some("closed"));
    assert_eq!(error.status(), StatusCode::TOO_MANY_REQUESTS);
}
