//! Probes: ask each server of the store for a decision, so that a status is up to date even if no calls are made.

use super::Status;
use crate::error::{Error, ErrorKind};
use crate::limiter::RateLimiter;
use crate::limiter::store_call::{Outage, invalid_reply};
use crate::store::{PROBE, Reply, ReplyKind, StoreKey, all};
use parking_lot::Mutex;
use std::future::Future;
use std::task::{Context, Poll, Waker};
use tokio::runtime::{Handle, Id};
use tokio::sync::watch;
use tokio::time::Instant;

/// The probes of a limiter. Each runtime has at most one under way, because each has its own connections.
#[derive(Default)]
pub(in crate::limiter) struct Probes {
    under_way: Mutex<Vec<(Id, UnderWay)>>,
    /// The time of the first failed probe after the last successful one.
    failing_since: Mutex<Option<Instant>>,
}

/// The result of a probe, or `None` while it is under way.
type UnderWay = watch::Receiver<Option<Probed>>;

/// The result of a probe.
#[derive(Clone)]
struct Probed {
    servers: u32,
    reachable: u32,
    error: Option<Error>,
    unreachable_since: Option<Instant>,
}

impl RateLimiter {
    /// Asks the store whether it can decide now, for a health endpoint. It returns at the latest after the
    /// [`deadline`](crate::RateLimiterBuilder::deadline) of a decision.
    ///
    /// Each server of the store decides about one call under a separate key, on the connection that all calls use. So the
    /// status is right even if no calls are made, or if the server accepts connections and does not reply. It costs one
    /// script call for each server. While the store is known to be unhealthy, it costs nothing: the attempt to reach it,
    /// which a background task makes every 0.1 to 1 second, is the probe. In each tokio runtime, concurrent calls of this
    /// method share one probe.
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
    /// If the future is dropped, the probe goes on for others that wait for it.
    pub async fn status(&self) -> Status {
        if self.is_off() {
            return Status::off(self.on_error);
        }
        let probed = self.probed().await;
        Status {
            off: false,
            servers: probed.servers,
            reachable: probed.reachable,
            unreachable_for: probed.unreachable_since.map(|since| since.elapsed()),
            error: probed.error,
            calls_failed: self.shared.store.outage().is_recent(),
            denying: self.denying_limits(),
            on_error: self.on_error,
        }
    }

    /// Joins the probe of this runtime, or starts one.
    async fn probed(&self) -> Probed {
        let Ok(runtime) = Handle::try_current() else { return self.clone().probe().await };
        let (mut result, sender) = self.shared.probes.join(runtime.id());
        if let Some(sender) = sender {
            let mut probe = Box::pin(self.clone().probe());
            // A store in this process replies at once.
            if let Poll::Ready(probed) = probe.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                let _ = sender.send(Some(probed.clone()));
                return probed;
            }
            // A task drives the probe, so that it goes on if this caller is dropped.
            runtime.spawn(async move {
                let _ = sender.send(Some(probe.await));
            });
        }
        let result = result.wait_for(Option::is_some).await;
        result.ok().and_then(|probed| probed.clone()).unwrap_or_else(|| {
            let message = "the runtime of the probe has shut down; ask again";
            Probed::failed(Error::new(ErrorKind::Unavailable, message))
        })
    }

    async fn probe(self) -> Probed {
        let sent = Instant::now();
        let key = format!("{}:{{#}}:probe:{}", self.keys().prefix(), PROBE.state_format());
        let servers = self.shared.store.bare().probe(&StoreKey::new(key.as_bytes()));
        let mut probed = match self.until(sent, servers).await {
            Ok(servers) if servers.is_empty() => Probed::failed(invalid_reply()),
            Ok(servers) => {
                let waiting = servers.into_iter().map(|reply| Box::pin(self.until(sent, reply)));
                Probed::of(all(waiting.collect()).await)
            }
            Err(error) => Probed::failed(error),
        };
        self.shared.probes.note(self.shared.store.outage(), &mut probed);
        probed
    }

    async fn until<T>(&self, sent: Instant, reply: Reply<T>) -> Result<T, Error> {
        match reply.into_kind() {
            ReplyKind::Ready(result) => result,
            ReplyKind::Pending(reply) => self.shared.store.until_deadline(sent, reply).await,
        }
    }
}

impl Probed {
    fn failed(error: Error) -> Self {
        Self { servers: 1, reachable: 0, error: Some(error), unreachable_since: None }
    }

    /// The result of a probe of several servers. If somebody has to repair one of the errors, the result has that error.
    fn of(results: Vec<Result<(), Error>>) -> Self {
        let servers = results.len();
        let mut errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let reachable = count(servers - errors.len());
        errors.sort_by_key(Error::is_transient);
        Self { servers: count(servers), reachable, error: errors.into_iter().next(), unreachable_since: None }
    }
}

impl Probes {
    /// Returns the probe of this runtime that is under way. If there is none, also returns the sender of a new one.
    fn join(&self, runtime: Id) -> (UnderWay, Option<watch::Sender<Option<Probed>>>) {
        let mut under_way = self.under_way.lock();
        under_way.retain(|(_, probe)| probe.has_changed().is_ok() && probe.borrow().is_none());
        if let Some((_, probe)) = under_way.iter().find(|(id, _)| *id == runtime) {
            return (probe.clone(), None);
        }
        let (sender, result) = watch::channel(None);
        under_way.push((runtime, result.clone()));
        (result, Some(sender))
    }
}

impl Probes {
    /// Notes the result of a probe, as an outage if it is one, and sets since when servers are unreachable.
    fn note(&self, outage: &Outage, probed: &mut Probed) {
        let mut failing_since = self.failing_since.lock();
        let Some(error) = &probed.error else {
            *failing_since = None;
            return outage.succeeded();
        };
        let since = *failing_since.get_or_insert_with(Instant::now);
        if error.is_transient() {
            outage.failed(error);
        }
        probed.unreachable_since = Some(outage.began().map_or(since, |began| began.min(since)));
    }
}
