//! Where the attribute stands: on methods below `#[tonic::async_trait]`, on the block above and below it, on methods of a trait
//! with native async functions, and around other attributes.

use super::wire::{Answer, Client, Note, listen, server};
use crate::harness::limiters::limiters;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tower::Layer;

server! { trait Boxed in MethodsServer is "test.Methods": "Hello" => hello; "Other" => other; }
server! { AboveServer<Boxed> is "test.Above": "Hello" => hello(unary); "Other" => other(unary); }
server! { BelowServer<Boxed> is "test.Below": "Hello" => hello(unary); "Other" => other(unary); }

pub(super) trait Native: Send + Sync + 'static {
    fn hello(&self, request: Request<Note>) -> impl Future<Output = Answer<Note>> + Send;
    fn other(&self, request: Request<Note>) -> impl Future<Output = Answer<Note>> + Send;
}

server! { NativeServer<Native> is "test.Native": "Hello" => hello(unary); "Other" => other(unary); }
server! { NativeBlockServer<Native> is "test.NativeBlock": "Hello" => hello(unary); "Other" => other(unary); }

struct Methods;

/// A block with these attributes.
macro_rules! block {
    ($name:ident: $trait:ident [$($attributes:tt)*]) => {
        struct $name;

        $($attributes)*
        impl $trait for $name {
            async fn hello(&self, request: Request<Note>) -> Answer<Note> {
                Ok(Response::new(request.into_inner()))
            }

            #[rate_limit(skip)]
            async fn other(&self, request: Request<Note>) -> Answer<Note> {
                Ok(Response::new(request.into_inner()))
            }
        }
    };
}

block! { Above: Boxed [#[rate_limit(count = 1, by = "ip")] #[tonic::async_trait]] }
block! { Below: Boxed [#[tonic::async_trait] #[rate_limit(count = 1, by = "ip")]] }
block! { NativeBlock: Native [#[rate_limit(count = 1, by = "ip")]] }

#[tonic::async_trait]
impl Boxed for Methods {
    #[rate_limit(key = "methods_hello", count = 1, by = "ip")]
    #[allow(clippy::unused_async)]
    async fn hello(&self, mut request: Request<Note>) -> Answer<Note> {
        request.get_mut().text.push_str("welcome");
        Ok(Response::new(request.into_inner()))
    }

    #[allow(clippy::unused_async)]
    #[rate_limit(key = "methods_other", count = 1, by = "ip")]
    async fn other(&self, request: Request<Note>) -> Result<Response<Note>, Status> {
        let (_, _, note) = request.into_parts();
        Ok(Response::new(note))
    }
}

impl Native for Methods {
    #[rate_limit(key = "native_hello", count = 1, by = "ip")]
    async fn hello(&self, request: Request<Note>) -> Answer<Note> {
        Ok(Response::new(request.into_inner()))
    }

    #[rate_limit(key = "native_other", count = 1, by = "ip")]
    async fn other(&self, request: Request<Note>) -> Answer<Note> {
        // A handler may also call another limited function.
        Ok(Response::new(polished(&request, request.get_ref()).await?))
    }
}

#[rate_limit(key = "polished", count = 10, by = "ip")]
async fn polished(request: &Request<Note>, note: &Note) -> Result<Note, Rejection> {
    Ok(Note::new(format!("{} {}", note.text, request.metadata().len())))
}

/// Serves all of them. The layer is inside, around each service: tonic finds it by the service's name.
async fn serve(limiter: RateLimiter) -> SocketAddr {
    let (address, incoming) = listen().await;
    let layer = RateLimitLayer::new().limiter(limiter);
    let server = Server::builder()
        .add_service(layer.layer(MethodsServer::new(Methods)))
        .add_service(layer.layer(AboveServer::new(Above)))
        .add_service(layer.layer(BelowServer::new(Below)))
        .add_service(layer.layer(NativeServer::new(Methods)))
        .add_service(layer.layer(NativeBlockServer::new(NativeBlock)));
    tokio::spawn(server.serve_with_incoming(incoming));
    address
}

#[tokio::test]
async fn all_placements_limit() {
    for limiter in limiters().await {
        let client = Client::new(serve(limiter).await, 2);
        for path in [
            "/test.Methods/Hello",
            "/test.Methods/Other",
            "/test.Above/Hello",
            "/test.Below/Hello",
            "/test.Native/Hello",
            "/test.Native/Other",
            "/test.NativeBlock/Hello",
        ] {
            assert!(client.call(path).await.is_ok(), "{path}");
            assert_eq!(client.call(path).await.unwrap_err().code(), Code::ResourceExhausted, "{path}");
        }
        for path in ["/test.Above/Other", "/test.Below/Other", "/test.NativeBlock/Other"] {
            assert!(client.call(path).await.is_ok() && client.call(path).await.is_ok(), "{path}");
        }
    }
}
