//! A server on a free loopback port, its client, and the bodies that a test sends through them.

use crate::harness::limiters::until_free;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use ratelimit::{Limit, RateLimiter};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::RedisServer;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The longest time that a test waits for an event, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(20);

type Chunk = Result<Bytes, io::Error>;

/// What a handler has: the limiter, and the bodies that the test has prepared.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) limits: RateLimiter,
    bodies: Arc<Mutex<VecDeque<mpsc::Receiver<Chunk>>>>,
}

impl App {
    pub(crate) fn new(limits: RateLimiter) -> Self {
        Self { limits, bodies: Arc::default() }
    }

    /// Prepares the body of the next response. The test sends its chunks.
    pub(crate) fn next_body(&self) -> mpsc::Sender<Chunk> {
        let (sender, receiver) = mpsc::channel(16);
        self.bodies.lock().unwrap().push_back(receiver);
        sender
    }

    /// The chunks of the next prepared body. A response that no test has prepared is empty.
    pub(crate) fn chunks(&self) -> impl Stream<Item = Chunk> + Send + use<> {
        let receiver = self.bodies.lock().unwrap().pop_front();
        let receiver = receiver.unwrap_or_else(|| mpsc::channel(1).1);
        unfold(receiver, |mut receiver| async { receiver.recv().await.map(|chunk| (chunk, receiver)) })
    }

    pub(crate) fn body(&self) -> Body {
        Body::from_stream(self.chunks())
    }

    pub(crate) async fn until_free(&self, limit: &Limit, key: &'static str, free: u32) {
        until_free(&self.limits, limit, key, free).await;
    }
}

/// A running server and its client.
pub(crate) struct Site {
    pub(crate) app: App,
    pub(crate) address: SocketAddr,
    pub(crate) http2: bool,
    pub(crate) client: reqwest::Client,
    serving: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Site {
    async fn start(limits: RateLimiter, http2: bool, router: fn() -> Router<App>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, app) = (listener.local_addr().unwrap(), App::new(limits));
        let router = router().with_state(app.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let client = reqwest::Client::builder();
        let client = if http2 { client.http2_prior_knowledge() } else { client.http1_only() };
        Self { app, address, http2, client: client.build().unwrap(), serving }
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(format!("http://{}{path}", self.address)).send().await.unwrap()
    }

    pub(crate) async fn status(&self, path: &str) -> u16 {
        self.get(path).await.status().as_u16()
    }
}

/// Runs a test with each store and each version of HTTP.
pub(crate) async fn everywhere(router: fn() -> Router<App>, test: impl AsyncFn(&Site)) {
    let redis = RedisServer::start();
    for http2 in [false, true] {
        test(&Site::start(RateLimiter::in_memory(), http2, router).await).await;
        let prefix = if http2 { "http2" } else { "http1" };
        let limits = RateLimiter::builder().redis(redis.url()).prefix(prefix);
        let limits = limits.deadline(PATIENCE).deny_cache(false).connect().await.unwrap();
        test(&Site::start(limits.clone(), http2, router).await).await;
        limits.close().await;
    }
}

/// A chunk of this many bytes.
#[expect(clippy::unnecessary_wraps, reason = "the chunks of a body may be errors")]
pub(crate) fn chunk(bytes: usize) -> Chunk {
    Ok(Bytes::from(vec![b'x'; bytes]))
}
