//! gRPC services of public applications with their real signatures.

use crate::tonic::wire::{Client, Note, server, texts};
use ratelimit::{RateLimitLayer, RateLimiter, rate_limit};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tonic::codegen::tokio_stream::{self, Stream};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_types::StatusExt;

type PointsOperationResponse = Note;
type UpsertPoints = Note;
type RouteNote = Note;

#[tonic::async_trait]
pub(super) trait Points: Send + Sync + 'static {
    async fn upsert(
        &self,
        request: Request<UpsertPoints>,
    ) -> Result<Response<PointsOperationResponse>, Status>;
}

server! { PointsServer<Points> is "qdrant.Points": "Upsert" => upsert(unary); }

#[tonic::async_trait]
pub(super) trait RouteGuide: Send + Sync + 'static {
    type RouteChatStream: Stream<Item = Result<RouteNote, Status>> + Send + 'static;
    async fn route_chat(
        &self,
        request: Request<Streaming<RouteNote>>,
    ) -> Result<Response<Self::RouteChatStream>, Status>;
}

server! { RouteGuideServer<RouteGuide> is "routeguide.RouteGuide": "RouteChat" => route_chat(streaming); }

struct PointsService;

#[derive(Clone)]
struct Access(String);

/// Takes the access out of the request, as an interceptor has put it there.
fn take_access(request: &mut Request<UpsertPoints>) -> Option<Access> {
    request.extensions_mut().remove()
}

/// Row 28, the vector database qdrant: `mut request`, which the body changes before it takes it apart. It compiles as it stands:
/// a limit by the API key in the metadata, and one by a field of the message, decided together.
#[tonic::async_trait]
impl Points for PointsService {
    #[rate_limit(key = "upsert", time = "1s", count = 2, by = "header:api-key")]
    #[rate_limit(key = "upsert_collection", time = "1m", count = 3, by = &request.get_ref().text)]
    async fn upsert(
        &self,
        mut request: Request<UpsertPoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        let access = take_access(&mut request).ok_or_else(|| Status::permission_denied("no access"))?;
        let note = request.into_inner();
        Ok(Response::new(Note::new(format!("{} {}", access.0, note.text))))
    }
}

#[derive(Default)]
struct RouteGuideService {
    notes: Arc<Mutex<HashMap<String, u32>>>,
}

/// Row 29, tonic's route guide: streams both ways, and an associated type for the stream. It compiles as it stands.
#[tonic::async_trait]
impl RouteGuide for RouteGuideService {
    type RouteChatStream = Pin<Box<dyn Stream<Item = Result<RouteNote, Status>> + Send + 'static>>;

    #[rate_limit(key = "route_chat", time = "1m", count = 2, by = "ip")]
    async fn route_chat(
        &self,
        request: Request<Streaming<RouteNote>>,
    ) -> Result<Response<Self::RouteChatStream>, Status> {
        let (notes, mut stream) = (self.notes.clone(), request.into_inner());
        let (sender, mut receiver) = tokio::sync::mpsc::channel(4);
        tokio::spawn(async move {
            while let Ok(Some(note)) = stream.message().await {
                let seen = {
                    let mut notes = notes.lock().unwrap();
                    let seen = notes.entry(note.text.clone()).or_default();
                    *seen += 1;
                    *seen
                };
                if sender.send(Ok(Note::new(format!("{} {seen}", note.text)))).await.is_err() {
                    return;
                }
            }
        });
        let output = futures_util::stream::poll_fn(move |context| receiver.poll_recv(context));
        Ok(Response::new(Box::pin(output)))
    }
}

async fn serve() -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let interceptor = |mut request: Request<()>| -> Result<Request<()>, Status> {
        request.extensions_mut().insert(Access("admin".to_owned()));
        Ok(request)
    };
    let points = tonic::codegen::InterceptedService::new(PointsServer::new(PointsService), interceptor);
    let server = Server::builder()
        .layer(RateLimitLayer::new().limiter(RateLimiter::in_memory()))
        .add_service(points)
        .add_service(RouteGuideServer::new(RouteGuideService::default()));
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    address
}

#[tokio::test]
async fn qdrant_upsert() {
    let client = Client::new(serve().await, 2);
    let upsert = async |collection: &str, key: &str| {
        let mut request = Request::new(Note::new(collection));
        request.metadata_mut().insert("api-key", key.parse().unwrap());
        client.send("/qdrant.Points/Upsert", request).await
    };
    for key in ["k1", "k2", "k3"] {
        assert_eq!(upsert("books", key).await.unwrap().get_ref().text, "admin books");
    }
    // The limit of the collection refuses. It is the one that says when to try again.
    let refused = upsert("books", "k4").await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.get_details_retry_info().unwrap().retry_delay.unwrap().as_secs() > 1, "{refused:?}");
    assert!(upsert("films", "k4").await.is_ok());
    let unidentified = client.call("/qdrant.Points/Upsert").await.unwrap_err();
    assert_eq!(unidentified.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn routeguide_route_chat() {
    let client = Client::new(serve().await, 2);
    let chat = async || {
        let notes = ["here", "there", "here"].map(Note::new);
        client.stream("/routeguide.RouteGuide/RouteChat", tokio_stream::iter(notes)).await
    };
    assert_eq!(texts(chat().await).await, ["here 1", "there 1", "here 2"]);
    assert_eq!(texts(chat().await).await, ["here 3", "there 2", "here 4"]);
    assert_eq!(chat().await.unwrap_err().code(), Code::ResourceExhausted);
}
