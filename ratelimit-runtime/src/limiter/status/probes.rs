//! `Probes`: each server of the store is asked for a decision, so that a status is up to date even if no calls are made.
//!
//! A probe is a decision under a separate key, because a replica replies to `PING` but cannot decide. A probe waits for the next
//! attempt of the circuit breaker, and starts no attempt itself.

use super::Status;
use crate::error::{Error, ErrorKind};
use crate::limiter::RateLimiter;
use crate::limiter::layers::{Outage, invalid_reply};
use crate::store::{PROBE, all};
use parking_lot::Mutex;
use std::future::Future;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::{Handle, Id};
use tokio::sync::watch;
use tokio::time::Instant;

/// The probes of a limiter. Each runtime has at most one probe under way, because each runtime has its own connections.
#[derive(Default)]
pub(in crate::limiter) struct Probes {
    under_way: Mutex<Vec<(Id, UnderWay)>>,
    /// The time of the first failed probe after the last successful one.
    failing_since: Mutex<Option<Instant>>,
}

/// The result of a probe, or `None` while it is under way.
type UnderWay = watch::Receiver<Option<Status>>;

impl RateLimiter {
    /// Asks the store whether it can decide now, for a health endpoint. This method returns after the
    /// [`deadline`](crate::RateLimiterBuilder::deadline) of a decision at the latest.
    ///
    /// Each server of the store decides about one call under a separate key, on the connection that all calls use. So the status
    /// is right even if no calls are made, or if the server accepts connections but does not reply. A status costs one script
    /// call for each server. While the store is known to be unhealthy, a status costs nothing: a background task tries to reach
    /// the store every 0.1 to 1 second, and this attempt is the probe. In each tokio runtime, concurrent calls of this method
    /// share one probe.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use ratelimit::RateLimiter;
    ///
    /// /// Returns the status code and the body of a readiness probe.
    /// async fn ready(limiter: &RateLimiter) -> (u16, String) {
    ///     let status = limiter.status().await;
    ///     (if status.is_ready() { 200 } else { 503 }, status.to_string())
    /// }
    /// # assert_eq!(ready(&RateLimiter::in_memory()).await, (200, "the store is reachable".to_owned()));
    /// # }
    /// ```
    ///
    /// If the future is dropped, the probe continues for other callers that wait for it.
    pub async fn status(&self) -> Status {
        if self.is_off() {
            return Status { off: true, on_error: self.on_error, ..Status::of(Vec::new()) };
        }
        // Limiters that differ only in the failure policy share the probe, so the policy is set afterwards.
        Status { on_error: self.on_error, ..self.probed().await }
    }

    /// Waits for the probe of this runtime that is under way, or starts one.
    async fn probed(&self) -> Status {
        let Ok(runtime) = Handle::try_current() else { return self.clone().probe().await };
        let (mut result, sender) = self.shared.probes.join(runtime.id());
        if let Some(sender) = sender {
            let mut probe = Box::pin(self.clone().probe());
            // A store in this process replies at once.
            if let Poll::Ready(probed) = probe.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                let _ = sender.send(Some(probed.clone()));
                return probed;
            }
            // A task drives the probe, so that it continues if this caller is dropped.
            runtime.spawn(async move {
                let _ = sender.send(Some(probe.await));
            });
        }
        let result = result.wait_for(Option::is_some).await;
        result.ok().and_then(|probed| probed.clone()).unwrap_or_else(|| {
            let message = "the runtime of the probe has shut down; ask again";
            Status::of(vec![Err(Error::new(ErrorKind::Unavailable, message))])
        })
    }

    async fn probe(self) -> Status {
        let (store, sent) = (&self.shared.store, Instant::now());
        let servers = store.bare().probe(&self.own_key(&format!("probe:{}", PROBE.state_format())));
        let results = match store.within_rest(Some(sent), servers).await {
            Ok(servers) if servers.is_empty() => vec![Err(invalid_reply())],
            Ok(servers) => {
                let replies = servers.into_iter();
                all(replies.map(|reply| Box::pin(store.within_rest(Some(sent), reply))).collect()).await
            }
            Err(error) => vec![Err(error)],
        };
        let mut status = Status::of(results);
        status.has_decided = self.shared.outage.has_decided();
        status.unreachable_for = self.shared.probes.note(&self.shared.outage, status.error.as_ref());
        status.calls_failed = self.shared.outage.is_recent();
        status.denying = self.denying_limits();
        status
    }
}

impl Probes {
    /// Returns the probe that is under way in this runtime. Without such a probe, adds one and also returns its sender.
    fn join(&self, runtime: Id) -> (UnderWay, Option<watch::Sender<Option<Status>>>) {
        let mut under_way = self.under_way.lock();
        under_way.retain(|(_, probe)| probe.has_changed().is_ok() && probe.borrow().is_none());
        if let Some((_, probe)) = under_way.iter().find(|(id, _)| *id == runtime) {
            return (probe.clone(), None);
        }
        let (sender, result) = watch::channel(None);
        under_way.push((runtime, result.clone()));
        (result, Some(sender))
    }

    /// Notes the result of a probe. An error to which the failure policy applies may begin an outage, and a success may end it.
    /// Returns for how long servers have been unreachable.
    fn note(&self, outage: &Outage, error: Option<&Error>) -> Option<Duration> {
        let mut failing_since = self.failing_since.lock();
        let Some(error) = error else {
            *failing_since = None;
            outage.reachable();
            return None;
        };
        let since = *failing_since.get_or_insert_with(Instant::now);
        if outage.explains(error) {
            outage.failed(error);
        }
        Some(outage.began().map_or(since, |began| began.min(since)).elapsed())
    }
}
