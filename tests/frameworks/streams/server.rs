//! The state of an application. A test sends the bodies of its responses.

use crate::harness::limiters::until_free;
use axum::body::Body;
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use ratelimit::{Limit, RateLimiter};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

type Chunk = Result<Bytes, io::Error>;

/// The state of a handler: the limiter, and the bodies that the test has prepared.
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

    /// Returns the chunks of the next prepared body. If the test has prepared no body, the response is empty.
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

/// Returns a chunk of `bytes` bytes.
#[expect(clippy::unnecessary_wraps, reason = "the chunks of a body may be errors")]
pub(crate) fn chunk(bytes: usize) -> Chunk {
    Ok(Bytes::from(vec![b'x'; bytes]))
}
