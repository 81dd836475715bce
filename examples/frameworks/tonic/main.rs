//! A gRPC server on tonic: a login limited by address, a search limited by API key, a stream limited by user, and a limit for
//! everything.
//!
//! ```sh
//! cargo run -p ratelimit-framework-examples --example tonic
//!
//! grpc() { grpcurl -v -plaintext -proto examples/tonic/shop.proto "$@"; }
//! grpc -d '{"text": "ann"}' localhost:50051 shop.Shop/Login                         # OK five times per minute
//! grpc -H 'x-api-key: my key' -d '{"text": "tea"}' localhost:50051 shop.Shop/Search # OK three times at once, then one every 6 s
//! grpc -H 'x-api-key: your key' localhost:50051 shop.Shop/Search                    # another key has its own limit
//! grpc localhost:50051 shop.Shop/Search                                             # UNAUTHENTICATED: it does not say who calls
//! grpc -H 'authorization: ann' localhost:50051 shop.Shop/Orders                     # a stream, ten times per hour
//!
//! # The same call without grpcurl: an empty message, and the headers of the response.
//! printf '\0\0\0\0\0' | curl -si --http2-prior-knowledge -H 'content-type: application/grpc' -H 'te: trailers' \
//!     --data-binary @- http://127.0.0.1:50051/shop.Shop/Login | tr -d '\0'
//! ```
//!
//! A refused call is `RESOURCE_EXHAUSTED`, with `RetryInfo` in its details and `grpc-retry-pushback-ms` in its trailers.

mod shop;

use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, rate_limit};
use shop::{Shop, ShopServer, Text};
use std::pin::Pin;
use std::time::Duration;
use tonic::codegen::tokio_stream::{self, Stream};
use tonic::service::InterceptorLayer;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

struct MyShop;

#[tonic::async_trait]
impl Shop for MyShop {
    /// Each address may log in five times per minute.
    #[rate_limit(key = "login", time = "1m", count = 5, by = "ip")]
    async fn login(&self, request: Request<Text>) -> Result<Response<Text>, Status> {
        let name = request.into_inner().text;
        Ok(Response::new(Text { text: format!("welcome, {name}") }))
    }

    /// Each API key may search three times at once, and ten times per minute. The key is in the metadata.
    #[rate_limit(
        key = "search",
        time = "1m",
        count = 10,
        algorithm = "token_bucket",
        burst = 3,
        by = "header:x-api-key"
    )]
    async fn search(&self, request: Request<Text>) -> Result<Response<Text>, Status> {
        let words = request.into_inner().text;
        Ok(Response::new(Text { text: format!("nothing found for {words}") }))
    }

    type OrdersStream = Pin<Box<dyn Stream<Item = Result<Text, Status>> + Send>>;

    /// Each user may list orders ten times per hour. The interceptor has put the user into the extensions, under the type
    /// `User`.
    #[rate_limit(key = "orders", time = "1h", count = 10, by = request.extensions().get::<User>().map(|user| &user.0))]
    async fn orders(&self, request: Request<Text>) -> Result<Response<Self::OrdersStream>, Status> {
        let orders = ["tea", "cups"].map(|text| Ok(Text { text: text.to_owned() }));
        drop(request);
        Ok(Response::new(Box::pin(tokio_stream::iter(orders))))
    }
}

#[derive(Clone)]
struct User(String);

/// Trusts the metadata of the request. A real server verifies it.
#[expect(clippy::unnecessary_wraps, reason = "tonic asks for this type")]
fn authenticate(mut request: Request<()>) -> Result<Request<()>, Status> {
    let user = request.metadata().get("authorization").and_then(|user| user.to_str().ok());
    if let Some(user) = user.map(str::to_owned) {
        request.extensions_mut().insert(User(user));
    }
    Ok(request)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // In production: `RateLimiter::builder().redis(..)`.
    ratelimit::install(RateLimiter::in_memory())?;
    // This limit is decided before the message is read.
    let layer = RateLimitLayer::new().limit("all", Limit::counter(100, Duration::from_secs(60)), By::ip());
    println!("listening on 127.0.0.1:50051");
    let mut server = Server::builder().layer(layer).layer(InterceptorLayer::new(authenticate));
    server.add_service(ShopServer::new(MyShop)).serve("127.0.0.1:50051".parse()?).await?;
    Ok(())
}
