//! Streams of requests and responses: a refused call ends before its first message.

use super::wire::{Client, Note, listen, server, texts};
use crate::harness::limiters::limiters;
use ratelimit::context::RequestContext;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use std::pin::Pin;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;
use tonic::codegen::tokio_stream::{self, Stream, StreamExt};
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status, Streaming};

type Notes = Pin<Box<dyn Stream<Item = Result<Note, Status>> + Send>>;

#[tonic::async_trait]
pub(super) trait Streams: Send + Sync + 'static {
    type ListStream: Stream<Item = Result<Note, Status>> + Send + 'static;
    async fn list(&self, request: Request<Note>) -> Result<Response<Self::ListStream>, Status>;
    async fn record(&self, request: Request<Streaming<Note>>) -> Result<Response<Note>, Status>;
    type ChatStream: Stream<Item = Result<Note, Status>> + Send + 'static;
    async fn chat(&self, request: Request<Streaming<Note>>) -> Result<Response<Self::ChatStream>, Status>;
    async fn messages(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status>;
    async fn contexts(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status>;
}

server! { StreamsServer<Streams> is "test.Streams":
    "List" => list(server_streaming);
    "Record" => record(client_streaming);
    "Chat" => chat(streaming);
    "Messages" => messages(streaming);
    "Contexts" => contexts(streaming);
}

struct Service;

/// Limits the messages of a stream. Each message is a call of this function.
#[rate_limit(key = "message", count = 2, by = ratelimit::context::client_ip())]
async fn handle(note: Note) -> Result<Note, Rejection> {
    Ok(note)
}

#[tonic::async_trait]
impl Streams for Service {
    // The type may be any stream that outlives the call.
    type ListStream = tokio_stream::Iter<std::vec::IntoIter<Result<Note, Status>>>;

    #[rate_limit(key = "list", count = 1, by = "ip")]
    async fn list(&self, _: Request<Note>) -> Result<Response<Self::ListStream>, Status> {
        let notes = ["a", "b"].map(|text| Ok(Note::new(text)));
        Ok(Response::new(tokio_stream::iter(Vec::from(notes))))
    }

    // The request is not `Sync`, because its stream is not. So the attribute reads the identity from the request before it
    // awaits the decision.
    #[rate_limit(key = "record", count = 1, by = ("ip", "header:x-tenant"))]
    async fn record(&self, mut request: Request<Streaming<Note>>) -> Result<Response<Note>, Status> {
        let mut text = String::new();
        while let Some(note) = request.get_mut().message().await? {
            text.push_str(&note.text);
        }
        Ok(Response::new(Note { text }))
    }

    type ChatStream = Notes;

    #[rate_limit(key = "chat", count = 1, by = "ip")]
    async fn chat(&self, request: Request<Streaming<Note>>) -> Result<Response<Self::ChatStream>, Status> {
        Ok(Response::new(Box::pin(request.into_inner())))
    }

    // A handler can limit messages while it reads them. This handler reads them in a task, so it gives its request context to
    // the task.
    async fn messages(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status> {
        let (context, mut requests) = (RequestContext::current().unwrap(), request.into_inner());
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        tokio::spawn(ratelimit::scope(
            ratelimit::RateLimiter::scoped().unwrap(),
            context.scope(async move {
                while let Ok(Some(note)) = requests.message().await {
                    let handled = handle(note).await.map_err(Status::from);
                    if sender.send(handled).await.is_err() {
                        return;
                    }
                }
            }),
        ));
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    // The server polls a stream after the handler has returned, so the stream is outside the request context.
    async fn contexts(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status> {
        let known = || if RequestContext::current().is_some() { "known" } else { "lost" };
        let in_the_handler = known();
        let answers =
            request.into_inner().map(move |_| Ok(Note::new(format!("{in_the_handler} {}", known()))));
        Ok(Response::new(Box::pin(answers)))
    }
}

async fn serve(limiter: RateLimiter) -> SocketAddr {
    let (address, incoming) = listen().await;
    let layer = RateLimitLayer::new().limiter(limiter);
    let server = Server::builder().layer(layer).add_service(StreamsServer::new(Service));
    tokio::spawn(server.serve_with_incoming(incoming));
    address
}

fn notes(count: usize) -> impl Stream<Item = Note> + Send + 'static {
    tokio_stream::iter((0..count).map(|n| Note::new(n.to_string())))
}

#[tokio::test]
async fn a_refused_stream_ends_before_its_first_message() {
    for limiter in limiters().await {
        let client = Client::new(serve(limiter).await, 2);
        for (path, expected) in
            [("/test.Streams/List", ["a", "b"].as_slice()), ("/test.Streams/Chat", &["0", "1", "2"])]
        {
            assert_eq!(texts(client.stream(path, notes(3)).await).await, expected, "{path}");
            let refused = client.stream(path, notes(3)).await.unwrap_err();
            assert_eq!(refused.code(), Code::ResourceExhausted, "{path}: {refused:?}");
        }
        // Without metadata, the tenant is unknown.
        let unknown = client.upload("/test.Streams/Record", notes(3), &[]).await.unwrap_err();
        assert_eq!(unknown.code(), Code::Unauthenticated, "{unknown:?}");
        for (tenant, is_admitted) in [("acme", true), ("acme", false), ("globex", true)] {
            let recorded = client.upload("/test.Streams/Record", notes(3), &[("x-tenant", tenant)]).await;
            match recorded {
                Ok(note) => assert_eq!((note.get_ref().text.as_str(), is_admitted), ("012", true)),
                Err(status) => assert_eq!((status.code(), is_admitted), (Code::ResourceExhausted, false)),
            }
        }
    }
}

#[tokio::test]
async fn messages_of_a_stream_are_limited_within_its_context() {
    for limiter in limiters().await {
        let client = Client::new(serve(limiter).await, 2);
        let answers = client.stream("/test.Streams/Messages", notes(3)).await.unwrap().into_inner();
        let answers: Vec<_> = answers.collect().await;
        let codes: Vec<_> =
            answers.into_iter().map(|answer| answer.map_err(|status| status.code())).collect();
        // An error is the last item of a gRPC stream.
        assert_eq!(codes, [Ok(Note::new("0")), Ok(Note::new("1")), Err(Code::ResourceExhausted)]);
        let contexts = texts(client.stream("/test.Streams/Contexts", notes(1)).await).await;
        assert_eq!(contexts, ["known lost"]);
    }
}
