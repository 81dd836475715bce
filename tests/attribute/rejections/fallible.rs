//! `fallible`: a function that is declared with a plain value returns a `Result`.

use crate::harness::{PEER, Runs, passes_once, scoped};
use axum::extract::ConnectInfo;
use ratelimit::{Rejection, rate_limit};
use std::fmt::Display;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

#[rate_limit(count = 1, fallible)]
async fn value(runs: &Runs) -> u32 {
    if runs.count() > 100 {
        return 0;
    }
    runs.add()
}

#[rate_limit(count = 1, fallible)]
async fn nothing(runs: &Runs) {
    if runs.count() > 100 {
        return;
    }
    runs.add();
}

#[rate_limit(count = 1, by = "ip", fallible)]
async fn borrowed<'r>(ConnectInfo(peer): ConnectInfo<SocketAddr>, runs: &'r Runs, text: &'r str) -> &'r str {
    assert_eq!(peer, PEER);
    runs.add();
    text.trim()
}

/// The value has a type that cannot be named.
#[rate_limit(count = 1, fallible)]
async fn nested(runs: &Runs) -> Option<Box<impl Display>> {
    if runs.count() > 100 {
        return None;
    }
    Some(Box::new(runs.add()))
}

/// The body converts a `Box<u32>` into a `Box<dyn Display>`, like the body of a plain function.
#[rate_limit(count = 1, fallible)]
async fn coerced(runs: &Runs) -> Box<dyn Display> {
    if runs.count() > 100 {
        return Box::new("text");
    }
    Box::new(runs.add())
}

#[rate_limit(count = 1, fallible, refund_if = |sum| *sum > 5)]
#[rate_limit(key = "b", count = 100, algorithm = "concurrency")]
async fn judged(runs: &Runs, more: u32) -> u32 {
    runs.add() + more
}

#[rate_limit(count = 1, fallible)]
fn future(runs: &Runs) -> impl Future<Output = u32> {
    async move { runs.add() }
}

#[rate_limit(count = 1, fallible)]
fn boxed(runs: &Runs) -> Pin<Box<dyn Future<Output = u32> + Send + '_>> {
    let more = runs.count();
    if more > 100 {
        return Box::pin(async { 0 });
    }
    Box::pin(async move { runs.add() + more })
}

#[rate_limit(count = 1, shadow = true, fallible)]
async fn shadow(runs: &Runs) -> u32 {
    runs.add()
}

trait Count {
    /// The default body is limited, and so the method of the trait returns a `Result`.
    #[rate_limit(count = 1, fallible)]
    async fn count(&self, runs: &Runs) -> u32 {
        runs.add()
    }
}

struct Service;

impl Count for Service {}

#[rate_limit(count = 1, fallible)]
impl Service {
    async fn plain(&self, runs: &Runs) -> u32 {
        runs.add()
    }

    async fn result(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

#[tokio::test]
async fn a_refused_call_returns_the_rejection() {
    let runs = &Runs::default();
    passes_once(runs, async || value(runs).await).await;
    passes_once(runs, async || nothing(runs).await).await;
    passes_once(runs, async || borrowed(ConnectInfo(PEER), runs, " a ").await).await;
    passes_once(runs, async || nested(runs).await).await;
    passes_once(runs, async || coerced(runs).await).await;
    passes_once(runs, async || future(runs).await).await;
    passes_once(runs, async || boxed(runs).await).await;
    passes_once(runs, async || Service.count(runs).await).await;
    passes_once(runs, async || Service.plain(runs).await).await;
    passes_once(runs, async || Service.result(runs).await).await;
}

#[tokio::test]
async fn an_admitted_call_returns_the_value() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(value(runs).await.unwrap(), 1);
        assert_eq!(borrowed(ConnectInfo(PEER), runs, " a ").await.unwrap(), "a");
        assert_eq!(judged(runs, 5).await.unwrap(), 8);
        assert_eq!(judged(runs, 0).await.unwrap(), 4, "the first call was refunded");
        assert!(judged(runs, 0).await.is_err());
        assert_eq!(shadow(runs).await.unwrap(), 5);
        assert_eq!(shadow(runs).await.unwrap(), 6);
    })
    .await;
}
