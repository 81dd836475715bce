//! Streams of gRPC messages: a service as tonic's code generator writes it, written by hand.

use super::server::App;
use axum::Router;
use futures_util::{Stream, StreamExt};
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, MemoryStore, RateLimiter, rate_limit};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use support::HOUR;
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::BoxFuture;
use tonic::server::{Grpc, NamedService, ServerStreamingService};
use tonic::{Code, Request, Response, Status};
use tonic_prost::ProstCodec;

const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));
const MESSAGES: Limit = Limit::counter(100, HOUR);

#[derive(Clone, PartialEq, prost::Message)]
struct Note {
    #[prost(string, tag = "1")]
    text: String,
}

type Notes = Pin<Box<dyn Stream<Item = Result<Note, Status>> + Send>>;

#[tonic::async_trait]
trait Chat: Send + Sync + 'static {
    type ListenStream: Stream<Item = Result<Note, Status>> + Send + 'static;

    async fn listen(&self, request: Request<Note>) -> Result<Response<Self::ListenStream>, Status>;
}

#[tonic::async_trait]
impl Chat for App {
    type ListenStream = Notes;

    #[rate_limit(
        key = "messages", time = "1h", count = 100, by = "global", settle = |sent| sent.messages(),
        until = "body_end", limiter = self.limits
    )]
    #[rate_limit(key = "listen", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
    async fn listen(&self, request: Request<Note>) -> Result<Response<Self::ListenStream>, Status> {
        if request.get_ref().text.is_empty() {
            return Err(Status::invalid_argument("no room"));
        }
        let notes = self.chunks().map(|chunk| match chunk {
            Ok(text) => Ok(Note { text: String::from_utf8_lossy(&text).into_owned() }),
            Err(error) => Err(Status::from(error)),
        });
        Ok(Response::new(Box::pin(notes)))
    }
}

/// What tonic's code generator writes.
#[derive(Clone)]
struct ChatServer(Arc<App>);

struct Listen(Arc<App>);

impl ServerStreamingService<Note> for Listen {
    type Response = Note;
    type ResponseStream = Notes;
    type Future = BoxFuture<Response<Notes>, Status>;

    fn call(&mut self, request: Request<Note>) -> Self::Future {
        let app = Arc::clone(&self.0);
        Box::pin(async move { Chat::listen(&*app, request).await })
    }
}

impl NamedService for ChatServer {
    const NAME: &'static str = "Chat";
}

impl tower::Service<http::Request<Body>> for ChatServer {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let listen = Listen(Arc::clone(&self.0));
        Box::pin(async move {
            Ok(Grpc::new(ProstCodec::<Note, Note>::default()).server_streaming(listen, request).await)
        })
    }
}

async fn listen(
    client: &mut tonic::client::Grpc<tonic::transport::Channel>,
    room: &str,
) -> Result<tonic::Streaming<Note>, Status> {
    client.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
    let codec = ProstCodec::<Note, Note>::default();
    let path = http::uri::PathAndQuery::from_static("/Chat/Listen");
    let request = Request::new(Note { text: room.to_owned() });
    client.server_streaming(request, path, codec).await.map(Response::into_inner)
}

#[tokio::test]
async fn a_stream_of_messages_holds_a_permit_and_is_charged_by_its_messages() {
    let store = MemoryStore::with_clock(ManualClock::new());
    let app = App::new(RateLimiter::builder().store(store).connect().await.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = tonic::service::Routes::new(ChatServer(Arc::new(app.clone()))).into_axum_router();
    let serving = tokio::spawn(async move { axum::serve(listener, routes as Router).await.unwrap() });
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut client = tonic::client::Grpc::new(channel.connect().await.unwrap());

    let notes = app.next_body();
    let mut stream = listen(&mut client, "room").await.unwrap();
    assert_eq!(listen(&mut client, "room").await.unwrap_err().code(), Code::ResourceExhausted);
    for text in ["one", "two", "three"] {
        notes.send(Ok(text.into())).await.unwrap();
        assert_eq!(stream.message().await.unwrap().unwrap().text, text);
    }
    app.until_free(&ONE, "listen", 0).await;
    drop(notes);
    assert!(stream.message().await.unwrap().is_none());
    app.until_free(&ONE, "listen", 1).await;
    app.until_free(&MESSAGES, "messages", 97).await;

    let notes = app.next_body();
    let mut stream = listen(&mut client, "room").await.unwrap();
    notes.send(Ok("four".into())).await.unwrap();
    assert!(stream.message().await.unwrap().is_some());
    drop(stream); // the client cancels
    app.until_free(&ONE, "listen", 1).await;
    app.until_free(&MESSAGES, "messages", 96).await;

    assert_eq!(listen(&mut client, "").await.unwrap_err().code(), Code::InvalidArgument);
    app.until_free(&ONE, "listen", 1).await;
    app.until_free(&MESSAGES, "messages", 96).await;
    serving.abort();
}
