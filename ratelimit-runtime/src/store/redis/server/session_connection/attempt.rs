//! An attempt to connect, in a separate task.

use super::super::breaker::random_jitter;
use super::super::under_way::Ending;
use super::{Attempted, ConnectionState, Inner, SessionConnection, SlowConnection};
use crate::store::redis::connect::UNRESPONSIVE_AFTER;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Connects, or probes a slow connection. The attempt runs in a separate task, so that it continues when a caller gives up.
pub(super) async fn attempt(
    inner: Arc<Inner>,
    slow: Option<SlowConnection>,
    ending: Ending<Attempted>,
    began: Instant,
    timeout: Duration,
) {
    let connector = &inner.connector;
    let outcome = match &slow {
        Some(slow) => inner.probe(slow).await,
        None => tokio::time::timeout(timeout, connector.connect())
            .await
            .unwrap_or_else(|_| Err(connector.endpoint().no_reply(timeout))),
    };
    let pause = inner.with(|state| match &outcome {
        Ok(connection) => {
            state.breaker.succeeded();
            state.connection = ConnectionState::Open(connection.clone());
            state.error = None;
            inner.slow_calls.reset();
            None
        }
        Err(error) => {
            state.breaker.failed(began, random_jitter());
            state.connection = slow.map_or(ConnectionState::None, ConnectionState::Slow);
            state.error = Some(error.clone());
            Some(state.breaker.pause(Instant::now()))
        }
    });
    if let Some(pause) = pause {
        tokio::spawn(try_again(Arc::downgrade(&inner), pause));
    }
    ending.with(outcome);
}

/// Starts the next attempt after a pause, so that the server is found again even if no call asks for it. An attempt that a
/// call has started meanwhile takes its place.
async fn try_again(inner: Weak<Inner>, pause: Duration) {
    tokio::time::sleep(pause).await;
    if let Some(inner) = inner.upgrade() {
        let _ = SessionConnection(inner).unavailable();
    }
}

impl Inner {
    /// Sends `PING` to a server that was too slow. If the reply is late, the server may have been silent until just now, so
    /// that a second `PING` shows whether it is still slow. A late reply keeps the connection; no reply aborts it.
    async fn probe(&self, slow: &SlowConnection) -> Attempted {
        let mut connection = slow.connection.clone();
        let timeout = UNRESPONSIVE_AFTER.max(slow.deadline);
        for _ in 0..2 {
            let began = Instant::now();
            match tokio::time::timeout(timeout, connection.ping()).await {
                Ok(Ok(())) if began.elapsed() <= slow.deadline => return Ok(connection),
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) => {
                    connection.health().abort();
                    break;
                }
            }
        }
        Err(self.connector.endpoint().no_reply(slow.deadline))
    }
}
