//! gRPC services of public applications with their real signatures, which only have to compile.

#![allow(dead_code, reason = "only compiled")]

use crate::tonic::wire::{Note, server};
use ratelimit::rate_limit;
use std::pin::Pin;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

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

struct Service;

/// qdrant, a vector database: `mut request`, which the body changes before it takes it apart. It compiles as it stands: a limit
/// by the API key in the metadata, and one by a field of the message, decided together.
#[tonic::async_trait]
impl Points for Service {
    #[rate_limit(key = "upsert", time = "1s", count = 2, by = "header:api-key")]
    #[rate_limit(key = "upsert_collection", time = "1m", count = 3, by = &request.get_ref().text)]
    async fn upsert(
        &self,
        mut request: Request<UpsertPoints>,
    ) -> Result<Response<PointsOperationResponse>, Status> {
        request.extensions_mut().clear();
        Ok(Response::new(request.into_inner()))
    }
}

/// tonic's route guide: streams both ways, and an associated type for the stream. It compiles as it stands.
#[tonic::async_trait]
impl RouteGuide for Service {
    type RouteChatStream = Pin<Box<dyn Stream<Item = Result<RouteNote, Status>> + Send + 'static>>;

    #[rate_limit(key = "route_chat", time = "1m", count = 2, by = "ip")]
    async fn route_chat(
        &self,
        request: Request<Streaming<RouteNote>>,
    ) -> Result<Response<Self::RouteChatStream>, Status> {
        Ok(Response::new(Box::pin(request.into_inner())))
    }
}

fn servers() -> (PointsServer<Service>, RouteGuideServer<Service>) {
    (PointsServer::new(Service), RouteGuideServer::new(Service))
}
