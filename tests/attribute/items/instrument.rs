//! Tests `#[tracing::instrument]` above and below the limit, and the fields that `#[instrument]` records.

use crate::harness::{PEER, Runs, keys_of, passes_once, scoped};
use async_trait::async_trait;
use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use ratelimit::{ClientIp, Rejection, rate_limit};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, instrument};

#[instrument(skip(runs))]
#[rate_limit(count = 1, by = "ip")]
async fn above_with_an_address(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    runs: &Runs,
) -> Result<SocketAddr, Rejection> {
    runs.add();
    Ok(peer)
}

#[rate_limit(count = 1, by = "ip")]
#[instrument(skip(runs, secret))]
async fn below_with_an_address(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    (secret, id): (String, u32),
    runs: &Runs,
) -> Result<String, Rejection> {
    runs.add();
    assert!(peer.port() > 0);
    Ok(secret + &id.to_string())
}

/// A wrapper whose client address differs from the wrapped address.
struct Masked(IpAddr);

impl ClientIp for Masked {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(IpAddr::from([203, 0, 113, 7]))
    }
}

#[rate_limit(count = 1, key = "k", by = "ip")]
#[instrument(skip_all, fields(%client, %id))]
async fn below_with_a_wrapper(Masked(client): Masked, Text(id): Text) -> Result<IpAddr, Rejection> {
    tracing::debug!(%id);
    Ok(client)
}

/// An argument that is neither an address nor `Copy`.
struct Text(String);

/// The span must not record the headers, because their argument has no name.
#[rate_limit(count = 1, by = "ip")]
#[instrument(skip(runs))]
async fn below_with_headers(
    peer: ConnectInfo<SocketAddr>,
    _: HeaderMap,
    runs: &Runs,
) -> Result<(), Rejection> {
    runs.add();
    Ok(())
}

#[async_trait]
trait Mail {
    async fn above(&self, id: u32, runs: &Runs) -> Result<u32, Rejection>;
    async fn below(&self, id: u32, runs: &Runs) -> Result<u32, Rejection>;
    async fn unit(&self, id: u32, runs: &Runs);
}

struct Smtp;

#[async_trait]
impl Mail for Smtp {
    #[instrument(skip(self, runs), err)]
    #[rate_limit(count = 1, key = "{id}")]
    async fn above(&self, id: u32, runs: &Runs) -> Result<u32, Rejection> {
        Ok(id + runs.add())
    }

    #[rate_limit(count = 1, key = "{id}")]
    #[instrument(skip(self, runs))]
    async fn below(&self, id: u32, runs: &Runs) -> Result<u32, Rejection> {
        Ok(id + runs.add())
    }

    #[instrument(skip_all)]
    #[rate_limit(count = 1, key = "{id}", on_limit = drop)]
    async fn unit(&self, id: u32, runs: &Runs) {
        assert_eq!(runs.add(), id);
    }
}

/// Records the fields of spans.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Visit for Recorder {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{field}={value:?}"));
    }
}

#[tokio::test]
async fn methods_of_async_trait_in_both_orders() {
    let runs = &Runs::default();
    passes_once(runs, async || Smtp.above(1, runs).await).await;
    passes_once(runs, async || Smtp.below(1, runs).await).await;
    scoped(async {
        Smtp.unit(3, runs).await;
        Smtp.unit(3, runs).await;
    })
    .await;
    assert_eq!(runs.count(), 3);
}

// All checks are in one test, because a span that is first used outside the subscriber's scope may stay disabled inside it.
#[tokio::test]
async fn the_fields_of_spans_keep_their_names() {
    let (runs, recorder) = (&Runs::default(), Recorder::default());
    let pair = || (String::new(), 5);
    let guard = tracing::subscriber::set_default(recorder.clone());
    let keys = keys_of(async {
        above_with_an_address(ConnectInfo(PEER), runs).await.unwrap();
        below_with_an_address(ConnectInfo(PEER), pair(), runs).await.unwrap();
        below_with_headers(ConnectInfo(PEER), HeaderMap::new(), runs).await.unwrap();
    })
    .await;
    drop(guard);
    assert!(keys.iter().all(|key| key.starts_with("{127.0.0.1}:")), "{keys:?}");
    let fields = recorder.0.lock().unwrap().clone();
    assert_eq!(fields, ["peer=127.0.0.1:1", "peer=127.0.0.1:1", "id=5", "peer=ConnectInfo(127.0.0.1:1)"]);
    passes_once(runs, async || above_with_an_address(ConnectInfo(PEER), runs).await).await;
    passes_once(runs, async || below_with_an_address(ConnectInfo(PEER), pair(), runs).await).await;
}

#[tokio::test]
async fn a_wrapper_that_a_span_takes_apart_is_asked_for_the_client() {
    let masked = Masked([198, 51, 100, 1].into());
    let keys = keys_of(async { below_with_a_wrapper(masked, Text("7".into())).await.unwrap() }).await;
    assert_eq!(keys, ["{203.0.113.7}:k"]);
}
