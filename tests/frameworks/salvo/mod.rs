//! Tests of salvo: the contract over HTTP/1.1 and HTTP/2.

mod answers;
mod arguments;
mod errors;
mod hostile;
mod middleware;
pub(crate) mod server;
mod streams;

use crate::harness::contract::{self, AppError, User, in_context, layer};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use salvo::extract::{Extractible, Metadata};
use salvo::http::ParseError;
use salvo::prelude::*;
use std::net::SocketAddr;
use std::sync::LazyLock;

#[handler]
#[rate_limit(key = "login", time = 60, count = 2, by = "ip")]
async fn login(_req: &mut Request) -> Result<&'static str, Rejection> {
    Ok("welcome")
}

#[rate_limit(key = "above", count = 1, by = "ip")]
#[handler]
async fn above(_: &mut Request, res: &mut Response) {
    res.render("welcome");
}

#[handler]
#[rate_limit(key = "below", count = 1, by = "ip")]
async fn below(req: &Request, res: &mut Response) {
    assert_eq!(req.uri().path(), "/below");
    res.render("welcome");
}

#[handler]
#[rate_limit(key = "key", count = 1, by = "header:x-api-key")]
async fn key(_: &mut Request) -> Result<(), Rejection> {
    Ok(())
}

impl<'ex> Extractible<'ex> for User {
    fn metadata() -> &'static Metadata {
        static METADATA: LazyLock<Metadata> = LazyLock::new(|| Metadata::new("User"));
        &METADATA
    }

    #[allow(refining_impl_trait)]
    async fn extract(req: &'ex mut Request, _: &'ex mut Depot) -> Result<Self, ParseError> {
        Ok(Self(req.header("x-user")))
    }
}

#[handler]
#[rate_limit(key = "user", count = 1, by = "user")]
async fn user(who: User) -> Result<(), Rejection> {
    drop(who);
    Ok(())
}

/// A handler that is an `impl` block, which `#[handler]` also accepts.
struct Stack;

#[handler]
impl Stack {
    #[rate_limit(key = "stack", time = "1m", count = 3, by = "ip")]
    #[rate_limit(key = "stack", time = "1h", count = 2, by = "ip")]
    async fn handle(&self, _: &mut Request, _: &mut Response) {}
}

#[handler]
async fn context() -> Result<(), Rejection> {
    in_context().await
}

#[handler]
async fn spawned() -> Result<(), Rejection> {
    tokio::spawn(in_context()).await.unwrap()
}

impl Scribe for AppError {
    fn render(self, res: &mut Response) {
        res.render_with_status(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong");
    }
}

#[handler]
#[rate_limit(key = "swallowed", count = 1, by = "ip")]
async fn swallowed(_: &mut Request) -> Result<(), AppError> {
    Ok(())
}

#[handler]
async fn plain() {}

#[handler]
async fn met() -> String {
    contract::met()
}

#[handler]
async fn upload(req: &mut Request) {
    req.payload().await.unwrap();
}

#[handler]
async fn slow() {
    contract::slow().await;
}

async fn serve(outermost: RateLimitLayer) -> SocketAddr {
    let layered = Router::with_path("layered").hoop(layer("outer")).hoop(layer("inner")).get(met);
    let routes = Router::new()
        .hoop(outermost)
        .push(Router::with_path("login").get(login))
        .push(Router::with_path("above").get(above))
        .push(Router::with_path("below").get(below))
        .push(Router::with_path("key").get(key))
        .push(Router::with_path("user").get(user))
        .push(Router::with_path("stack").get(Stack))
        .push(Router::with_path("context").get(context))
        .push(Router::with_path("spawned").get(spawned))
        .push(Router::with_path("swallowed").get(swallowed))
        .push(Router::with_path("plain").get(plain))
        .push(layered)
        .push(Router::with_path("formed").hoop(layer("formed")).get(context))
        .push(Router::with_path("upload").hoop(layer("upload")).post(upload))
        .push(Router::with_path("slow").hoop(layer("slow")).get(slow));
    server::start(routes).await
}

#[tokio::test]
async fn keeps_the_contract() {
    contract::check(serve).await;
}
