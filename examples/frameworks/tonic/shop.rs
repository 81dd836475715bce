//! The server of `shop.proto`, in the form that `tonic_prost_build::compile_protos` generates. It is written by hand, so
//! that the example does not need `protoc`.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tonic::codegen::tokio_stream::Stream;
use tonic::codegen::{Body, BoxFuture, Service, StdError, http};
use tonic::server::{Grpc, NamedService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower::service_fn;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Text {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
}

#[tonic::async_trait]
pub(crate) trait Shop: Send + Sync + 'static {
    async fn login(&self, request: Request<Text>) -> Result<Response<Text>, Status>;
    async fn search(&self, request: Request<Text>) -> Result<Response<Text>, Status>;
    type OrdersStream: Stream<Item = Result<Text, Status>> + Send + 'static;
    async fn orders(&self, request: Request<Text>) -> Result<Response<Self::OrdersStream>, Status>;
}

pub(crate) struct ShopServer<T>(Arc<T>);

impl<T> ShopServer<T> {
    pub(crate) fn new(shop: T) -> Self {
        Self(Arc::new(shop))
    }
}

impl<T> Clone for ShopServer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> NamedService for ShopServer<T> {
    const NAME: &'static str = "shop.Shop";
}

impl<T, B> Service<http::Request<B>> for ShopServer<T>
where
    T: Shop,
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let (shop, mut grpc) = (self.0.clone(), Grpc::new(ProstCodec::default()));
        match request.uri().path() {
            "/shop.Shop/Login" => {
                let method = service_fn(move |request| {
                    let shop = shop.clone();
                    async move { shop.login(request).await }
                });
                Box::pin(async move { Ok(grpc.unary(method, request).await) })
            }
            "/shop.Shop/Search" => {
                let method = service_fn(move |request| {
                    let shop = shop.clone();
                    async move { shop.search(request).await }
                });
                Box::pin(async move { Ok(grpc.unary(method, request).await) })
            }
            "/shop.Shop/Orders" => {
                let method = service_fn(move |request| {
                    let shop = shop.clone();
                    async move { shop.orders(request).await }
                });
                Box::pin(async move { Ok(grpc.server_streaming(method, request).await) })
            }
            _ => Box::pin(async { Ok(Status::unimplemented("").into_http()) }),
        }
    }
}
