//! Permits and charges that end with the body that a handler writes into salvo's response.

use super::server;
use crate::harness::client::{Client, Version};
use crate::harness::limiters::until_free;
use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use ratelimit::{Limit, RateLimitLayer, RateLimiter, Rejection, Sent, rate_limit};
use salvo::http::{ResBody, StatusResult};
use salvo::prelude::*;
use salvo::sse::{self, SseEvent, SseKeepAlive};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use support::{HOUR, MINUTE};
use tokio::sync::mpsc::{Receiver, Sender, channel};

const STREAMS: Limit = Limit::concurrency(1, MINUTE);
const BLOCKS: Limit = Limit::counter(100, HOUR);

/// The chunks of the next body.
type Next = Arc<Mutex<Option<Receiver<Bytes>>>>;

/// Puts the chunks into the depot, as middlewares of applications do with their state.
struct State(Next);

#[async_trait]
impl Handler for State {
    async fn handle(&self, _: &mut Request, depot: &mut Depot, _: &mut Response, _: &mut FlowCtrl) {
        depot.insert_typed(Arc::clone(&self.0));
    }
}

fn chunks(depot: &Depot) -> impl Stream<Item = Result<Bytes, Infallible>> + use<> {
    let chunks = depot.get_typed::<Next>().unwrap().lock().unwrap().take().unwrap();
    unfold(chunks, async |mut chunks| Some((Ok(chunks.recv().await?), chunks)))
}

/// Declares handlers that share one permit.
macro_rules! streams {
    ($($name:ident($depot:ident, $res:ident) $(-> $returned:ty)? $body:block)*) => {
        $(#[handler]
        #[rate_limit(
            key = "streams", count = 1, time = "1m", algorithm = "concurrency", by = "global", until = "body_end"
        )]
        async fn $name($depot: &mut Depot, $res: &mut Response) $(-> $returned)? $body)*

        fn streams() -> Vec<Router> {
            vec![$(Router::with_path(stringify!($name)).goal($name)),*]
        }
    };
}

streams! {
    stream(depot, res) {
        res.stream(chunks(depot));
    }
    streamed_body(depot, res) -> Result<(), Rejection> {
        res.body(ResBody::stream(chunks(depot)));
        Ok(())
    }
    channel_body(depot, res) -> StatusResult<()> {
        let (chunks, mut sender) = (chunks(depot), res.channel());
        tokio::spawn(async move {
            let mut chunks = Box::pin(chunks);
            while let Some(Ok(chunk)) = futures_util::StreamExt::next(&mut chunks).await {
                if sender.send_data(chunk).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }
    missing(depot, _res) -> StatusResult<()> {
        let _ = depot;
        Err(StatusError::not_found())
    }
    rendered_error(depot, res) {
        let _ = depot;
        res.render(StatusError::not_found());
    }
    whole(depot, res) -> Result<(), Rejection> {
        let _ = depot;
        res.render("whole");
        Ok(())
    }
    nothing(depot, res) {
        let _ = (depot, res);
    }
}

/// The order of the attributes does not matter.
#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
#[handler]
async fn above(res: &mut Response, depot: &mut Depot) {
    res.stream(chunks(depot));
}

#[handler]
#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn events(depot: &mut Depot, res: &mut Response) {
    let sizes = futures_util::StreamExt::map(chunks(depot), |chunk| {
        chunk.map(|chunk| SseEvent::default().text(format!("{} bytes", chunk.len())))
    });
    SseKeepAlive::new(sizes).max_interval(MINUTE).stream(res);
}

/// Above `#[handler]`, `fallible` is part of the signature that it reads.
#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end",
    fallible
)]
#[handler]
async fn plain_events(depot: &mut Depot, res: &mut Response) {
    let ticks =
        futures_util::StreamExt::map(chunks(depot), |chunk| chunk.map(|_| SseEvent::default().text("tick")));
    sse::stream(res, ticks);
}

#[handler]
async fn by_hand(depot: &mut Depot, res: &mut Response) -> Result<(), Rejection> {
    let limiter = ratelimit::scope::current().unwrap();
    let permit = limiter.permit(&STREAMS, "streams").await?;
    res.body = permit.hold(ResBody::stream(chunks(depot)));
    Ok(())
}

/// Charges for each started kilobyte that was sent.
#[handler]
#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent| sent.blocks(1000), until = "body_end"
)]
async fn blocks(depot: &mut Depot, res: &mut Response) {
    res.stream(chunks(depot));
}

/// Charges for complete files.
#[handler]
#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent: Sent| u32::from(sent.is_complete()),
    until = "body_end"
)]
async fn file(depot: &mut Depot, res: &mut Response) -> StatusResult<()> {
    res.headers_mut().insert("content-length", 1500.into());
    res.stream(chunks(depot));
    Ok(())
}

struct Site {
    client: Client,
    limiter: RateLimiter,
    next: Next,
}

impl Site {
    async fn new(version: Version) -> Self {
        let (limiter, next) = (RateLimiter::in_memory(), Next::default());
        let routes = Router::new()
            .hoop(RateLimitLayer::new().limiter(limiter.clone()))
            .hoop(State(Arc::clone(&next)))
            .append(&mut streams())
            .push(Router::with_path("above").get(above))
            .push(Router::with_path("events").get(events))
            .push(Router::with_path("plain_events").get(plain_events))
            .push(Router::with_path("by_hand").get(by_hand))
            .push(Router::with_path("blocks").goal(blocks))
            .push(Router::with_path("file").get(file));
        Self { client: Client::new(server::start(routes).await, version), limiter, next }
    }

    /// Starts a response, and waits for its first bytes, which are `expected`.
    async fn start(&self, path: &str, expected: usize) -> (Sender<Bytes>, reqwest::Response) {
        let (chunks, receiver) = channel(1);
        *self.next.lock().unwrap() = Some(receiver);
        chunks.send(Bytes::from_static(&[b'x'; 1500])).await.unwrap();
        let mut response = self.client.request(path).send().await.unwrap();
        let mut length = 0;
        while length < expected {
            length += response.chunk().await.unwrap().unwrap().len();
        }
        (chunks, response)
    }

    async fn until_free(&self, limit: &Limit, key: &'static str, free: u32) {
        until_free(&self.limiter, limit, key, free).await;
    }
}

const VERSIONS: [Version; 2] = [Version::Http1, Version::Http2];
const STREAMING: [(&str, usize); 7] = [
    ("/stream", 1500),
    ("/streamed_body", 1500),
    ("/channel_body", 1500),
    ("/above", 1500),
    ("/events", 17),
    ("/plain_events", 11),
    ("/by_hand", 1500),
];

#[tokio::test]
async fn a_permit_is_held_until_the_body_ends() {
    for version in VERSIONS {
        let site = Site::new(version).await;
        for (path, expected) in STREAMING {
            let (chunks, response) = site.start(path, expected).await;
            let refused = site.client.get("/whole").await;
            assert_eq!(refused.status, 429, "{path} has returned, its body has not");
            assert!(refused.header("retry-after").is_none(), "{path}");
            drop(chunks);
            assert!(response.bytes().await.unwrap().is_empty());
            site.until_free(&STREAMS, "streams", 1).await;
        }
        for (path, status) in
            [("/missing", 404), ("/rendered_error", 404), ("/whole", 200), ("/nothing", 200)]
        {
            assert_eq!(site.client.get(path).await.status, status, "{path}");
            site.until_free(&STREAMS, "streams", 1).await;
        }
        assert_eq!(
            site.client.get("/whole").await.header("content-length"),
            Some("5"),
            "its length is known"
        );
    }
}

/// The server notices it when it sends the next chunks: a stream that may be silent for long needs a heartbeat.
#[tokio::test]
async fn a_client_that_goes_away_returns_the_permit() {
    for version in VERSIONS {
        let site = Site::new(version).await;
        for (path, expected) in STREAMING {
            let (chunks, response) = site.start(path, expected).await;
            assert_eq!(site.client.get("/whole").await.status, 429, "{path}");
            drop(response);
            let sending = async { while chunks.send(Bytes::from_static(b"heartbeat")).await.is_ok() {} };
            tokio::time::timeout(MINUTE, sending).await.expect("the body is not dropped");
            site.until_free(&STREAMS, "streams", 1).await;
        }
    }
}

#[tokio::test]
async fn a_charge_is_settled_by_what_was_sent() {
    for version in VERSIONS {
        let site = Site::new(version).await;
        let (chunks, response) = site.start("/blocks", 1500).await;
        assert_eq!(site.limiter.peek(&BLOCKS, "blocks").await.unwrap().remaining(), 80);
        drop(chunks);
        response.bytes().await.unwrap();
        site.until_free(&BLOCKS, "blocks", 98).await;
        // A response is complete when its length was sent.
        let (chunks, response) = site.start("/file", 1500).await;
        drop(chunks);
        response.bytes().await.unwrap();
        site.until_free(&BLOCKS, "blocks", 97).await;
    }
}

/// salvo drops the body of a response to `HEAD`.
#[tokio::test]
async fn a_response_without_its_body_has_sent_nothing() {
    let site = Site::new(Version::Http1).await;
    let (_chunks, receiver) = channel(1);
    *site.next.lock().unwrap() = Some(receiver);
    assert_eq!(site.client.head("/blocks").send().await.unwrap().status(), 200);
    site.until_free(&BLOCKS, "blocks", 100).await;
}
