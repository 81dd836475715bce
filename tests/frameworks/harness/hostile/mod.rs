//! Clients that reset, cut and half close their connections at any moment, against bodies that fail, panic or never end.
//!
//! A framework's test serves `/{act}` for each act of [`Answer::of`]. The handler has [`LIMIT`], and holds one of its
//! permits under the key `hostile` until its body ends. There are never more bodies than permits, and in the end all permits
//! are free.

mod acts;
mod http1;
mod http2;

pub(crate) use acts::{Answer, Body, Gauge};

use super::client::Version;
use super::limiters::{limiters, until};
use fastrand::Rng;
use ratelimit::{Limit, RateLimiter};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of permits.
pub(crate) const PERMITS: u32 = 6;
/// The lease is longer than a test waits, so the test notices a lost permit.
pub(crate) const LIMIT: Limit = Limit::concurrency(PERMITS, Duration::from_secs(600));
const PATIENT: Duration = Duration::from_secs(10);
/// The number of clients that attack at the same time.
const CLIENTS: u64 = 16;

/// The result of a connection or a request. An error is expected, because a server may disconnect hostile clients at any
/// time.
type Ended = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// The answers that the clients have received.
#[derive(Default)]
struct Tally {
    admitted: AtomicU32,
    refused: AtomicU32,
}

impl Tally {
    fn count(&self, is_refused: bool) {
        let counter = if is_refused { &self.refused } else { &self.admitted };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Attacks a server on each store, with each of these versions of HTTP.
pub(crate) async fn check(
    gauge: &'static Gauge,
    versions: &[Version],
    serve: impl AsyncFn(RateLimiter) -> SocketAddr,
) {
    let mut used_up = Vec::new();
    for limiter in limiters().await {
        let server = serve(limiter.clone()).await;
        for version in versions {
            let (version, tally) = (*version, Arc::new(Tally::default()));
            let counted = Arc::clone(&tally);
            attack(move |rng| {
                let tally = Arc::clone(&counted);
                async move {
                    let _ = match version {
                        Version::Http1 => http1::connection(server, rng, &tally).await,
                        Version::Http2 => http2::connection(server, rng, &tally).await,
                    };
                }
            })
            .await;
            until_quiet(&limiter, gauge).await;
            let seen = (tally.admitted.load(Ordering::Relaxed), tally.refused.load(Ordering::Relaxed));
            assert!(seen.0 > 0 && seen.1 > 0, "{version:?}: admitted and refused: {seen:?}");
        }
        limiter.close().await;
        // Takes all permits, because the server may still read the request of a client that has left. Without a permit,
        // this request starts no body during the test of the next server.
        let all = async || limiter.permit_cost(&LIMIT, "hostile", PERMITS).await.ok();
        used_up.push(until("all permits of `hostile` can be taken", all).await);
    }
}

/// Polls until all bodies have ended and all permits are free.
pub(crate) async fn until_quiet(limiter: &RateLimiter, gauge: &Gauge) {
    let is_quiet = async || {
        let free = limiter.peek(&LIMIT, "hostile").await.unwrap().remaining();
        (free == PERMITS && gauge.is_empty()).then_some(())
    };
    until("all permits of `hostile` are free, and no body is left", is_quiet).await;
    gauge.assert_within(PERMITS);
}

/// Runs many connections of several clients at the same time. Each connection uses its own random numbers.
pub(crate) async fn attack<F: Future<Output = ()> + Send + 'static>(
    connect: impl Fn(Rng) -> F + Clone + Send + 'static,
) {
    let is_soak = std::env::var_os("RATELIMIT_SOAK").is_some();
    let connections = if is_soak { 40 } else { 5 };
    let seed = std::env::var("RATELIMIT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_123);
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (mut rng, connect) = (Rng::with_seed(client.wrapping_add(seed)), connect.clone());
        clients.spawn(async move {
            for _ in 0..connections {
                connect(rng.fork()).await;
            }
        });
    }
    clients.join_all().await;
}

/// Returns how long a client waits for an answer: a moment, or long enough for a busy machine.
fn patience(rng: &mut Rng) -> Duration {
    if rng.bool() { Duration::from_millis(rng.u64(1..40)) } else { PATIENT }
}
