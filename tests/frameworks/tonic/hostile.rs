//! tonic under hostile clients.

use super::wire::{Note, listen, server};
use crate::harness::client::Version;
use crate::harness::hostile::{Answer, Body, Gauge, LIMIT, check};
use futures_util::stream::{StreamExt, once};
use futures_util::{Stream, future};
use ratelimit::{RateLimitLayer, rate_limit};
use std::pin::Pin;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};
use tower::util::MapRequestLayer;

static GAUGE: Gauge = Gauge::new();

type Notes = Pin<Box<dyn Stream<Item = Result<Note, Status>> + Send>>;

#[tonic::async_trait]
pub(super) trait Hostile: Send + Sync + 'static {
    async fn act(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status>;
}

server! { HostileServer<Hostile> is "test.Hostile":
    "Act" => act(streaming);
}

struct Service;

#[tonic::async_trait]
impl Hostile for Service {
    #[rate_limit(key = "hostile", limit = LIMIT, by = "global", until = "body_end")]
    async fn act(&self, request: Request<Streaming<Note>>) -> Result<Response<Notes>, Status> {
        let act = request.metadata().get("act").unwrap().to_str().unwrap();
        let note = |text: bytes::Bytes| Note::new(String::from_utf8_lossy(&text));
        let notes: Notes = match Answer::of(act, &GAUGE).await.body {
            Body::Whole(bytes) => once(future::ready(Ok(note(bytes)))).boxed(),
            Body::Chunks(chunks) => chunks.map(move |chunk| Ok(note(chunk?))).boxed(),
        };
        Ok(Response::new(notes))
    }
}

/// Rewrites each request so that it calls the only method of the service. The original path becomes the metadata `act`.
fn to_service<B>(mut request: http::Request<B>) -> http::Request<B> {
    let act = request.uri().path().trim_start_matches('/').parse().unwrap();
    request.headers_mut().insert("act", act);
    *request.uri_mut() = http::Uri::from_static("http://localhost/test.Hostile/Act");
    request
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_permit_is_lost() {
    check(&GAUGE, &[Version::Http2], async |limiter| {
        let (address, incoming) = listen().await;
        let mut layers = Server::builder()
            .layer(MapRequestLayer::new(to_service))
            .layer(RateLimitLayer::new().limiter(limiter));
        let server = layers.add_service(HostileServer::new(Service));
        tokio::spawn(server.serve_with_incoming(incoming));
        address
    })
    .await;
}
