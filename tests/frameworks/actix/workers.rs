//! A worker that blocks its thread does not delay the decisions of other workers.
//!
//! Each worker of actix-web is a separate runtime with one thread. A connection to Redis is driven by the runtime that has
//! opened the connection. If all workers shared one connection, it would stop for all of them as soon as the worker that has
//! opened it blocks.

use super::server;
use crate::harness::limiters::redis_url;
use actix_web::get;
use actix_web::web::{Data, ServiceConfig};
use ratelimit::{OnError, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A connection to one worker, which sends one request after another.
struct Connection(TcpStream);

impl Connection {
    async fn send(&mut self, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        self.0.write_all(request.as_bytes()).await.unwrap();
    }

    /// Reads a response whose body has a `content-length`. Returns the status and the body.
    async fn response(&mut self) -> (u16, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        (status, String::from_utf8(body).unwrap())
    }

    async fn get(&mut self, path: &str) -> (u16, String) {
        self.send(path).await;
        self.response().await
    }
}

const WORKERS: usize = 4;
const ADMITTED: u32 = 60;

/// Responds with the thread of the worker. All requests of a connection run on the same worker.
#[get("/thread")]
async fn thread() -> String {
    format!("{:?}", std::thread::current().id())
}

#[get("/limited")]
#[rate_limit(key = "workers", time = "1h", count = ADMITTED, by = "global")]
async fn limited() -> Result<&'static str, Rejection> {
    Ok("")
}

/// The channels of `/blocks`: `begun` reports that a worker is about to block, and `end` unblocks it.
struct Blocking {
    begun: UnboundedSender<()>,
    end: Mutex<Receiver<()>>,
}

/// Blocks the worker after Redis has decided about the call, so the worker already has a connection.
#[get("/blocks")]
#[rate_limit(key = "blocks", count = 1, by = "global")]
async fn blocks(worker: Data<Blocking>) -> Result<&'static str, Rejection> {
    worker.begun.send(()).unwrap();
    worker.end.lock().unwrap().recv().unwrap();
    Ok("")
}

/// Returns a limiter that rejects each call that Redis cannot decide. A soak uses the default deadline. All other runs have
/// 10 s, because the machine may be slow. The limiter connects when a worker needs its first decision.
fn limiter() -> RateLimiter {
    let builder = RateLimiter::builder().redis(redis_url()).prefix("workers");
    let is_soak = std::env::var_os("RATELIMIT_SOAK").is_some();
    let builder = if is_soak { builder } else { builder.deadline(Duration::from_secs(10)) };
    builder.on_error(OnError::Deny).build().unwrap()
}

#[tokio::test]
async fn a_blocked_worker_delays_no_other() {
    let (begun, mut has_begun) = unbounded_channel();
    let (end, ended) = channel();
    let blocking = Data::new(Blocking { begun, end: Mutex::new(ended) });
    let routes = move |config: &mut ServiceConfig| {
        config.app_data(blocking.clone()).service(thread).service(limited).service(blocks);
    };
    let layer = RateLimitLayer::new().limiter(limiter());
    let server = server::start_workers(WORKERS, layer, routes);

    // Opens one connection to each worker. The server assigns connections to its workers in turn.
    let mut connections = BTreeMap::new();
    while connections.len() < WORKERS {
        let mut connection = Connection(TcpStream::connect(server).await.unwrap());
        let (_, worker) = connection.get("/thread").await;
        connections.entry(worker).or_insert(connection);
    }
    let (_, mut blocked) = connections.pop_first().unwrap();
    blocked.send("/blocks").await;
    has_begun.recv().await.unwrap();

    let asking = connections.into_values().map(|mut connection| async move {
        let mut statuses = Vec::new();
        for _ in 0..ADMITTED / 2 {
            statuses.push(connection.get("/limited").await.0);
        }
        statuses
    });
    let statuses = futures_util::future::join_all(asking).await.concat();

    // Redis has decided every call: the workers share one count, and a failed decision would be a 503.
    let answered = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!(answered(200), ADMITTED as usize, "{statuses:?}");
    assert_eq!(answered(429), statuses.len() - ADMITTED as usize, "{statuses:?}");
    // The handler blocks until this line.
    end.send(()).unwrap();
    assert_eq!(blocked.response().await.0, 200);
}
