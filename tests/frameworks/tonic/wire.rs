//! A gRPC service without a `.proto` file. The macro writes servers like generated code, and [`Client`] calls any method.

use prost::Message;
use std::net::{IpAddr, SocketAddr};
use tonic::Status;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::tokio_stream::{Stream, StreamExt as _};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint};
use tonic_prost::ProstCodec;

/// The message of all requests and responses.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Note {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
}

impl Note {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// Declares the server of a service trait: `test.Greeter/Hello` calls `Greeter::hello`. If all methods are unary, the macro
/// also declares the trait.
macro_rules! server {
    (trait $trait:ident in $server:ident is $name:literal: $($path:literal => $method:ident;)*) => {
        #[tonic::async_trait]
        pub(crate) trait $trait: Send + Sync + 'static {
            $(async fn $method(
                &self,
                request: tonic::Request<$crate::tonic::wire::Note>,
            ) -> $crate::tonic::wire::Answer<$crate::tonic::wire::Note>;)*
        }

        $crate::tonic::wire::server! { $server<$trait> is $name: $($path => $method(unary);)* }
    };
    ($server:ident<$trait:ident> is $name:literal: $($path:literal => $method:ident($kind:ident);)*) => {
        pub(crate) struct $server<T>(std::sync::Arc<T>);

        impl<T> $server<T> {
            pub(crate) fn new(service: T) -> Self {
                Self(std::sync::Arc::new(service))
            }
        }

        impl<T> Clone for $server<T> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<T> tonic::server::NamedService for $server<T> {
            const NAME: &'static str = $name;
        }

        impl<T, B> tonic::codegen::Service<http::Request<B>> for $server<T>
        where
            T: $trait,
            B: tonic::codegen::Body + Send + 'static,
            B::Error: Into<tonic::codegen::StdError> + Send + 'static,
        {
            type Response = http::Response<tonic::body::Body>;
            type Error = std::convert::Infallible;
            type Future = tonic::codegen::BoxFuture<Self::Response, Self::Error>;

            fn poll_ready(
                &mut self,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Result<(), Self::Error>> {
                std::task::Poll::Ready(Ok(()))
            }

            fn call(&mut self, request: http::Request<B>) -> Self::Future {
                let service = self.0.clone();
                match request.uri().path() {
                    $(concat!("/", $name, "/", $path) => {
                        let method = tower::service_fn(move |request| {
                            let service = service.clone();
                            async move { service.$method(request).await }
                        });
                        Box::pin(async move {
                            let codec = tonic_prost::ProstCodec::default();
                            Ok(tonic::server::Grpc::new(codec).$kind(method, request).await)
                        })
                    })*
                    _ => Box::pin(async { Ok(tonic::Status::unimplemented("").into_http()) }),
                }
            }
        }
    };
}

pub(crate) use server;

/// Returns the address of a server, and the connections to it.
pub(crate) async fn listen() -> (SocketAddr, TcpIncoming) {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    (listener.local_addr().unwrap(), TcpIncoming::from(listener))
}

/// A client from one loopback address.
#[derive(Clone)]
pub(crate) struct Client {
    grpc: Grpc<Channel>,
    pub(crate) address: IpAddr,
}

pub(crate) type Answer<T> = Result<tonic::Response<T>, Status>;

impl Client {
    /// A client from `127.0.0.last`. It connects with its first call.
    pub(crate) fn new(server: SocketAddr, last: u8) -> Self {
        let address = IpAddr::from([127, 0, 0, last]);
        let endpoint = Endpoint::from_shared(format!("http://{server}")).unwrap();
        let channel = endpoint.local_address(Some(address)).connect_lazy();
        Self { grpc: Grpc::new(channel), address }
    }

    pub(crate) fn of_channel(channel: Channel) -> Self {
        Self { grpc: Grpc::new(channel), address: IpAddr::from([0, 0, 0, 0]) }
    }

    /// Calls a method, such as `/test.Greeter/Hello`, with an empty message.
    pub(crate) async fn call(&self, path: &'static str) -> Answer<Note> {
        self.call_with(path, &[]).await
    }

    /// Calls a method with an empty message and metadata.
    pub(crate) async fn call_with(
        &self,
        path: &'static str,
        metadata: &[(&'static str, &str)],
    ) -> Answer<Note> {
        self.send(path, request(Note::default(), metadata)).await
    }

    pub(crate) async fn send(&self, path: &'static str, request: tonic::Request<Note>) -> Answer<Note> {
        let mut grpc = self.grpc.clone();
        grpc.ready().await.unwrap();
        grpc.unary(request, PathAndQuery::from_static(path), ProstCodec::default()).await
    }

    /// Calls a method whose requests and responses are streams. If the method takes a single request, it reads only the first
    /// one.
    pub(crate) async fn stream(
        &self,
        path: &'static str,
        requests: impl Stream<Item = Note> + Send + 'static,
    ) -> Answer<tonic::Streaming<Note>> {
        let mut grpc = self.grpc.clone();
        grpc.ready().await.unwrap();
        let path = PathAndQuery::from_static(path);
        grpc.streaming(tonic::Request::new(requests), path, ProstCodec::default()).await
    }

    /// Calls a method whose requests are a stream, with metadata.
    pub(crate) async fn upload(
        &self,
        path: &'static str,
        requests: impl Stream<Item = Note> + Send + 'static,
        metadata: &[(&'static str, &str)],
    ) -> Answer<Note> {
        let mut grpc = self.grpc.clone();
        grpc.ready().await.unwrap();
        let path = PathAndQuery::from_static(path);
        grpc.client_streaming(request(requests, metadata), path, ProstCodec::default()).await
    }
}

fn request<T>(message: T, metadata: &[(&'static str, &str)]) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    for (name, value) in metadata {
        request.metadata_mut().append(*name, value.parse().unwrap());
    }
    request
}

/// Returns the texts of all messages of a stream.
pub(crate) async fn texts(stream: Answer<tonic::Streaming<Note>>) -> Vec<String> {
    let messages: Vec<Note> = stream.unwrap().into_inner().map(Result::unwrap).collect().await;
    messages.into_iter().map(|note| note.text).collect()
}
