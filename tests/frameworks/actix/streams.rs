//! Permits and charges that end with the body of a response of actix-web.

use super::server;
use crate::harness::client::{Client, Version};
use crate::harness::limiters::until_free;
use actix_web::http::StatusCode;
use actix_web::middleware::Compat;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{HttpResponse, error::ErrorNotFound};
use futures_util::stream::unfold;
use ratelimit::{Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::convert::Infallible;
use std::sync::Mutex;
use support::{HOUR, MINUTE};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// More bytes than a server and the operating system keep for a client that does not read.
const LARGE: usize = 64 * 1024 * 1024;
const STREAMS: Limit = Limit::concurrency(1, MINUTE);
const BLOCKS: Limit = Limit::counter(100, HOUR);

/// The chunks of the next body.
type Next = Mutex<Option<Receiver<Bytes>>>;

fn body(next: &Next) -> HttpResponse {
    let chunks = next.lock().unwrap().take().unwrap();
    HttpResponse::Ok().streaming(unfold(chunks, async |mut chunks| {
        let chunk = chunks.recv().await?;
        Some((Ok::<_, Infallible>(chunk), chunks))
    }))
}

#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn stream(next: Data<Next>) -> HttpResponse {
    body(&next)
}

#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn missing(_: Data<Next>) -> actix_web::Result<HttpResponse> {
    Err(ErrorNotFound("no such stream"))
}

#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn whole(_: Data<Next>) -> Result<HttpResponse, Rejection> {
    Ok(HttpResponse::Ok().body("whole"))
}

/// A body that is in memory, and larger than the buffers of a connection.
#[rate_limit(
    key = "streams",
    count = 1,
    time = "1m",
    algorithm = "concurrency",
    by = "global",
    until = "body_end"
)]
async fn large(_: Data<Next>) -> HttpResponse {
    HttpResponse::Ok().body(vec![b'x'; LARGE])
}

/// A response of another body type becomes an `HttpResponse`.
async fn by_hand() -> Result<HttpResponse, Rejection> {
    let limiter = ratelimit::scope::current().unwrap();
    let permit = limiter.permit(&STREAMS, "streams").await?;
    Ok(permit.hold(HttpResponse::with_body(StatusCode::OK, "by hand".to_owned())))
}

/// Charges for each started kilobyte that was sent.
#[rate_limit(
    key = "blocks", by = "global", time = "1h", count = 100, cost = 20, settle = |sent| sent.blocks(1000), until = "body_end"
)]
async fn blocks(next: Data<Next>) -> Result<HttpResponse, Rejection> {
    Ok(body(&next))
}

struct Site {
    client: Client,
    limiter: RateLimiter,
    next: Data<Next>,
}

impl Site {
    fn new(version: Version) -> Self {
        let (limiter, next) = (RateLimiter::in_memory(), Data::new(Next::default()));
        let state = next.clone();
        let routes = move |config: &mut ServiceConfig| {
            config.app_data(state.clone()).route("/stream", web::get().to(stream));
            config.route("/head", web::head().to(stream));
            config.route("/missing", web::get().to(missing)).route("/whole", web::get().to(whole));
            config.route("/large", web::get().to(large));
            config.route("/by-hand", web::get().to(by_hand));
            config.service(web::resource("/blocks").wrap(Compat::new(RateLimitLayer::new())).to(blocks));
        };
        let server = server::start(RateLimitLayer::new().limiter(limiter.clone()), routes);
        Self { client: Client::new(server, version), limiter, next }
    }

    /// Starts a response, and waits for its first 1,500 bytes.
    async fn start(&self, path: &str) -> (Sender<Bytes>, reqwest::Response) {
        let (chunks, body) = channel(1);
        *self.next.lock().unwrap() = Some(body);
        chunks.send(Bytes::from_static(&[0; 1500])).await.unwrap();
        let mut response = self.client.request(path).send().await.unwrap();
        let mut received = 0;
        while received < 1500 {
            received += response.chunk().await.unwrap().unwrap().len();
        }
        (chunks, response)
    }

    async fn until_free(&self, limit: &Limit, key: &'static str, free: u32) {
        until_free(&self.limiter, limit, key, free).await;
    }
}

const VERSIONS: [Version; 2] = [Version::Http1, Version::Http2];

#[tokio::test]
async fn a_body_in_memory_holds_its_permit_while_a_slow_client_reads_it() {
    for site in VERSIONS.map(Site::new) {
        let mut response = site.client.request("/large").send().await.unwrap();
        assert!(response.chunk().await.unwrap().is_some());
        assert_eq!(site.client.get("/whole").await.status, 429, "the client has not read the rest");
        drop(response);
        site.until_free(&STREAMS, "streams", 1).await;
        let response = site.client.request("/large").send().await.unwrap();
        assert_eq!(response.bytes().await.unwrap().len(), LARGE);
        site.until_free(&STREAMS, "streams", 1).await;
    }
}

#[tokio::test]
async fn a_permit_is_held_until_the_body_ends() {
    for site in VERSIONS.map(Site::new) {
        let (chunks, response) = site.start("/stream").await;
        assert_eq!(
            site.client.get("/stream").await.status,
            429,
            "the handler has returned, its body has not"
        );
        drop(chunks);
        assert!(response.bytes().await.unwrap().is_empty());
        site.until_free(&STREAMS, "streams", 1).await;
        for (path, status) in [("/missing", 404), ("/whole", 200), ("/by-hand", 200)] {
            assert_eq!(site.client.get(path).await.status, status);
            site.until_free(&STREAMS, "streams", 1).await;
        }
    }
}

/// The server notices it when it sends the next chunks: a stream that may be silent for long needs a heartbeat.
#[tokio::test]
async fn a_client_that_goes_away_returns_the_permit() {
    for site in VERSIONS.map(Site::new) {
        let (chunks, response) = site.start("/stream").await;
        assert_eq!(site.client.get("/stream").await.status, 429);
        drop(response);
        let sending = async { while chunks.send(Bytes::from_static(b"heartbeat")).await.is_ok() {} };
        tokio::time::timeout(MINUTE, sending).await.expect("the body is not dropped");
        site.until_free(&STREAMS, "streams", 1).await;
    }
}

/// Otherwise the server would run the stream to its end, although it sends nothing.
#[tokio::test]
async fn a_head_request_returns_the_permit_at_once() {
    for site in VERSIONS.map(Site::new) {
        let (_chunks, body) = channel(1);
        *site.next.lock().unwrap() = Some(body);
        assert_eq!(site.client.head("/head").send().await.unwrap().status(), 200);
        site.until_free(&STREAMS, "streams", 1).await;
    }
}

#[tokio::test]
async fn a_charge_is_settled_by_what_was_sent() {
    for site in VERSIONS.map(Site::new) {
        let (chunks, response) = site.start("/blocks").await;
        assert_eq!(site.limiter.peek(&BLOCKS, "blocks").await.unwrap().remaining(), 80);
        drop(chunks);
        response.bytes().await.unwrap();
        site.until_free(&BLOCKS, "blocks", 98).await;
    }
}
