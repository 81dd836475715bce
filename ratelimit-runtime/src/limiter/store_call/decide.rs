//! Sends requests to the store with a deadline, and applies the failure policy to errors.

use super::decided::Decided;
use super::deny_cache::Forgetting;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::lease::leasable;
use crate::limiter::off::admitted;
use crate::limiter::{OnError, RateLimiter};
use crate::observe::{IdentityHash, deny_cache_hit, store_replied};
use crate::store::{Adjusted, Adjustment, Change, Decisions, Mode, PendingReply, Reply, Request, Store};
use smallvec::SmallVec;
use tokio::time::Instant;

impl RateLimiter {
    /// Decides a stack under the failure policy. If nothing has to be awaited, passes the decisions and their source to `then`,
    /// so that they need not be copied. Otherwise returns the pending reply as `Err`. The reply borrows nothing.
    #[inline]
    pub(in crate::limiter) fn decide<T>(
        &self,
        began: Option<Instant>,
        mode: Mode,
        requests: &[&Request],
        then: impl FnOnce(Result<(Source, &[Decision]), Error>) -> T,
    ) -> Result<T, PendingReply<Decided>> {
        let calls = &self.shared.store;
        if let Err(error) = calls.ensure_time(began) {
            return Ok(pass(self.conclude(Err(error), mode, requests), then));
        }
        if let Some(request) = leasable(mode, requests) {
            if let Some(decision) = self.take_leased(request) {
                return Ok(then(Ok((Source::Store, &[decision]))));
            }
            match self.decide_by_lease(began, request) {
                Some(Reply::Ready(decided)) => return Ok(pass(decided, then)),
                Some(Reply::Pending(reply)) => return Err(reply),
                None => {}
            }
        }
        if let Some(refusal) = calls.deny_cache.as_ref().and_then(|cache| cache.refusal(requests)) {
            deny_cache_hit();
            return Ok(then(Ok((Source::Store, &[refusal]))));
        }
        let reply = calls.store.decide(mode, requests);
        if let Some(decisions) = reply.ready_value().filter(|decisions| decisions.len() == requests.len()) {
            calls.outage.succeeded();
            return Ok(then(Ok((Source::Store, decisions))));
        }
        match reply {
            Reply::Ready(decisions) => Ok(pass(self.conclude(decisions, mode, requests), then)),
            Reply::Pending(reply) => {
                Err(PendingReply::new(self.clone().deciding(began, reply, mode, requests)))
            }
        }
    }

    /// Awaits the reply of the store. The future owns its limiter and its requests. Nearly every call of a remote store uses
    /// this future, so it does not move the values that it captures.
    fn deciding(
        self,
        began: Option<Instant>,
        reply: PendingReply<Decisions>,
        mode: Mode,
        requests: &[&Request],
    ) -> impl Future<Output = Result<Decided, Error>> + Send + use<> {
        // A reply that keeps its request already has a copy of it, so the request is not copied again.
        let requests: Vec<Request> = match reply.request() {
            Some(_) => Vec::new(),
            None => requests.iter().copied().cloned().collect(),
        };
        let sent = Instant::now();
        let mut reply = self.shared.store.with_deadline(began.unwrap_or(sent), reply);
        async move {
            self.take_over_tasks(sent);
            let decisions = match Error::unless_runtime() {
                Ok(()) => (&mut reply).await.unwrap_or_else(|| Err(self.shared.store.too_late())),
                Err(error) => Err(error),
            };
            match (reply.request(), requests.as_slice()) {
                (Some(request), _) | (None, [request]) => self.received(sent, decisions, mode, &[request]),
                (None, requests) => {
                    let requests: SmallVec<[&Request; 4]> = requests.iter().collect();
                    self.received(sent, decisions, mode, &requests)
                }
            }
        }
    }

    /// Passes refusals to the deny cache, and concludes what the store has decided about requests that were sent at `sent`.
    #[inline]
    pub(in crate::limiter) fn received(
        &self,
        sent: Instant,
        decisions: Result<Decisions, Error>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        store_replied(sent);
        if let Ok(decisions) = &decisions {
            self.shared.store.remember(sent, requests, decisions);
        }
        self.conclude(decisions, mode, requests)
    }

    /// Decides a request again, in the place that made the call's earlier decision: the store or the local memory. The call may
    /// wait. The failure policy does not apply.
    pub(in crate::limiter) fn decide_again(&self, source: Source, request: &Request) -> Reply<Decisions> {
        match source {
            Source::Store => self.shared.store.bare().decide(Mode::Charge, &[request]),
            Source::Local => self.shared.store.local().decide(Mode::Charge, &[request]),
            Source::Nobody => Reply::ready(Ok(Decisions::new())),
        }
    }

    /// Adjusts charged units where they were charged: in the store or in the local memory.
    pub(crate) fn adjust(&self, source: Source, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        match source {
            Source::Store => self.adjust_store(adjustments),
            Source::Local => Reply::ready(self.shared.store.local().adjust_now(adjustments)),
            Source::Nobody => Reply::ready(Ok(adjustments.iter().map(|_| 0).collect())),
        }
    }

    fn adjust_store(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let returns = adjustments
            .iter()
            .filter(|change| matches!(change.change(), Change::Give(_)) && !change.limit().is_concurrency());
        let forgetting = Forgetting::start(self, returns.map(Adjustment::key));
        match (self.shared.store.bare().adjust(adjustments), forgetting) {
            (Reply::Pending(adjusting), Some(forgetting)) => Reply::pending(async move {
                let _forgetting = forgetting;
                adjusting.await
            }),
            (adjusted, _) => adjusted,
        }
    }

    /// Returns the store's decisions. In an outage, returns what the failure policy decides. Returns any other error.
    pub(in crate::limiter) fn conclude(
        &self,
        decisions: Result<Decisions, Error>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        let error = match self.shared.store.note_reply(decisions, requests.len()) {
            Ok(decisions) => return Ok(Decided { decisions, source: Source::Store }),
            Err(error) => error,
        };
        if !self.shared.store.is_outage(&error) {
            return Err(
                error.about(IdentityHash::of_all(self.keys(), requests.iter().map(|request| request.key())))
            );
        }
        match self.on_error {
            OnError::Deny => Err(error),
            OnError::Allow => {
                let decisions = requests.iter().map(|request| admitted(request)).collect();
                Ok(Decided { decisions, source: Source::Nobody })
            }
            OnError::Local => {
                let decisions = self.shared.store.local().decide_now(mode, requests)?;
                Ok(Decided { decisions, source: Source::Local })
            }
        }
    }
}

#[cold]
fn pass<T>(
    decided: Result<Decided, Error>,
    then: impl FnOnce(Result<(Source, &[Decision]), Error>) -> T,
) -> T {
    match decided {
        Ok(Decided { decisions, source }) => then(Ok((source, &decisions))),
        Err(error) => then(Err(error)),
    }
}
