//! Streams of messages: a permit is held until the last message, and the charge is the number of messages.

use super::wire::{Client, Note, server};
use crate::harness::server::serve_without_peers;
use crate::streams::server::App;
use futures_util::{Stream, StreamExt, stream};
use ratelimit::body::Holding;
use ratelimit::testing::TestLimiter;
use ratelimit::{Limit, rate_limit};
use std::pin::Pin;
use std::time::Duration;
use support::HOUR;
use tonic::{Code, Request, Response, Status};

const ONE: Limit = Limit::concurrency(1, Duration::from_secs(30));
const MESSAGES: Limit = Limit::counter(100, HOUR);

#[tonic::async_trait]
pub(super) trait Chat: Send + Sync + 'static {
    type ListenStream: Stream<Item = Result<Note, Status>> + Send + 'static;

    async fn listen(&self, request: Request<Note>) -> Result<Response<Self::ListenStream>, Status>;

    type DeclaredStream: Stream<Item = Result<Note, Status>> + Send + 'static;

    async fn declared(&self, request: Request<Note>) -> Result<Response<Self::DeclaredStream>, Status>;
}

server! { ChatServer<Chat> is "test.Chat":
    "Listen" => listen(server_streaming);
    "Declared" => declared(server_streaming);
}

type Notes = Pin<Box<dyn Stream<Item = Result<Note, Status>> + Send>>;

#[tonic::async_trait]
impl Chat for App {
    type ListenStream = Notes;

    #[rate_limit(
        key = "messages", time = "1h", count = 100, by = "global", settle = |sent| sent.messages(),
        until = "body_end", limiter = self.limits
    )]
    #[rate_limit(key = "listen", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
    async fn listen(&self, request: Request<Note>) -> Result<Response<Self::ListenStream>, Status> {
        notes(self, &request)
    }

    // A stream that is not boxed can also hold a permit. Only its declared type had to change.
    type DeclaredStream = Holding<Notes>;

    #[rate_limit(
        key = "messages", time = "1h", count = 100, by = "global", settle = |sent| sent.messages(),
        until = "body_end", limiter = self.limits
    )]
    #[rate_limit(key = "listen", count = 1, time = "30s", algorithm = "concurrency", until = "body_end")]
    async fn declared(&self, request: Request<Note>) -> Result<Response<Self::DeclaredStream>, Status> {
        notes(self, &request)
    }
}

fn notes(app: &App, request: &Request<Note>) -> Result<Response<Notes>, Status> {
    if request.get_ref().text.is_empty() {
        return Err(Status::invalid_argument("no room"));
    }
    let notes = app.chunks().map(|chunk| Ok(Note::new(String::from_utf8_lossy(&chunk?))));
    Ok(Response::new(Box::pin(notes)))
}

#[tokio::test]
async fn a_stream_of_messages_holds_a_permit_and_is_charged_by_its_messages() {
    for path in ["/test.Chat/Listen", "/test.Chat/Declared"] {
        a_stream_is_held_and_charged(path).await;
    }
}

async fn a_stream_is_held_and_charged(path: &'static str) {
    let app = App::new(TestLimiter::new().limiter().clone());
    let routes = tonic::service::Routes::new(ChatServer::new(app.clone())).into_axum_router();
    let client = Client::new(serve_without_peers(routes).await, 2);
    let listen = async |room: &'static str| {
        let answer = client.stream(path, stream::iter([Note::new(room)])).await;
        answer.map(Response::into_inner)
    };

    let notes = app.next_body();
    let mut stream = listen("room").await.unwrap();
    assert_eq!(listen("room").await.unwrap_err().code(), Code::ResourceExhausted);
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
    let mut stream = listen("room").await.unwrap();
    notes.send(Ok("four".into())).await.unwrap();
    assert!(stream.message().await.unwrap().is_some());
    drop(stream); // the client cancels
    app.until_free(&ONE, "listen", 1).await;
    app.until_free(&MESSAGES, "messages", 96).await;

    assert_eq!(listen("").await.unwrap_err().code(), Code::InvalidArgument);
    app.until_free(&ONE, "listen", 1).await;
    app.until_free(&MESSAGES, "messages", 96).await;
}
