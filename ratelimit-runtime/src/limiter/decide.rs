//! Sends requests to the store under a deadline, and applies the failure policy to errors.

use super::decided::{Begun, Decided, DecidedRef, Source, invalid_reply};
use super::deciding::Deciding;
use super::deny_cache::Forgetting;
use super::lease::is_leased;
use super::{LONGEST_TIME, OnError, RateLimiter};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::observe::{IdentityHash, deny_cache_hit, store_failed, store_replied};
use crate::store::memory::MemoryStore;
use crate::store::{
    Adjusted, Adjustment, Change, Decisions, Mode, PendingReply, Reply, ReplyKind, Request, UntilDeadline,
};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

impl RateLimiter {
    /// Decides a request under the failure policy. If nothing has to be awaited, passes the result to `then`, so that the
    /// decision need not be copied. Otherwise returns the reply.
    #[inline]
    pub(crate) fn decide_one<T>(
        &self,
        mode: Mode,
        request: &Request,
        then: impl FnOnce(Result<DecidedRef<'_>, Error>) -> T,
    ) -> Result<T, PendingReply<Decided>> {
        match self.begin(mode, &[request], then) {
            Begun::Ready(told) => Ok(told),
            Begun::Leasing(reply) => Err(reply),
            Begun::Deciding(deciding) => Err(self.finish_later(deciding, mode, &[request])),
        }
    }

    /// Decides a stack as [`decide_one`](Self::decide_one) decides a request.
    pub(crate) fn decide<T>(
        &self,
        mode: Mode,
        requests: &[Request],
        then: impl FnOnce(Result<DecidedRef<'_>, Error>) -> T,
    ) -> Result<T, PendingReply<Decided>> {
        let requests = references(requests);
        match self.begin(mode, &requests, then) {
            Begun::Ready(told) => Ok(told),
            Begun::Leasing(reply) => Err(reply),
            Begun::Deciding(deciding) => Err(self.finish_later(deciding, mode, &requests)),
        }
    }

    fn finish_later(
        &self,
        deciding: PendingReply<Decisions>,
        mode: Mode,
        requests: &[&Request],
    ) -> PendingReply<Decided> {
        PendingReply::new(Deciding::new(self.clone(), deciding, mode, requests))
    }

    /// As [`decide`](Self::decide), but borrows the requests. Calls `before_wait` if the store does not reply at once: then it
    /// may decide although its reply does not arrive.
    pub(super) async fn decide_borrowed(
        &self,
        mode: Mode,
        requests: &[&Request],
        before_wait: impl FnOnce(),
    ) -> Result<Decided, Error> {
        match self.begin(mode, requests, |decided| decided.map(DecidedRef::to_owned)) {
            Begun::Ready(decided) => decided,
            Begun::Leasing(reply) => reply.await,
            Begun::Deciding(deciding) => {
                before_wait();
                // Boxed, so that the future stays small for a store that replies at once.
                Box::pin(self.finish(Instant::now(), deciding, mode, requests)).await
            }
        }
    }

    #[inline]
    fn begin<T>(
        &self,
        mode: Mode,
        requests: &[&Request],
        then: impl FnOnce(Result<DecidedRef<'_>, Error>) -> T,
    ) -> Begun<T> {
        if self.shared.takes_leases && is_leased(mode, requests) {
            if let Some(decision) = self.take_leased(requests[0]) {
                return Begun::Ready(then(Ok(DecidedRef::by_store(&[decision]))));
            }
            if let Some(begun) = self.decide_by_lease(requests[0]) {
                return match begun.into_kind() {
                    ReplyKind::Ready(decided) => Begun::Ready(then(borrowed(&decided))),
                    ReplyKind::Pending(reply) => Begun::Leasing(reply),
                };
            }
        }
        if let Some(refusal) = self.shared.deny_cache.as_ref().and_then(|cache| cache.refusal(requests)) {
            deny_cache_hit();
            return Begun::Ready(then(Ok(DecidedRef::by_store(&[refusal]))));
        }
        let reply = self.shared.store.decide(mode, requests);
        if let Some(decisions) = reply.ready_value().filter(|decisions| decisions.len() == requests.len()) {
            self.shared.outage.succeeded();
            return Begun::Ready(then(Ok(DecidedRef::by_store(decisions))));
        }
        match reply.into_kind() {
            ReplyKind::Ready(decisions) => {
                Begun::Ready(then(borrowed(&self.conclude(decisions, mode, requests))))
            }
            ReplyKind::Pending(deciding) => Begun::Deciding(deciding),
        }
    }

    async fn finish(
        &self,
        sent: Instant,
        deciding: PendingReply<Decisions>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        self.take_over_tasks(sent);
        let decisions = self.until_deadline(sent, deciding).await;
        self.received(sent, decisions, mode, requests)
    }

    /// Remembers refusals, and concludes what the store has decided about requests that were sent at `sent`.
    pub(super) fn received(
        &self,
        sent: Instant,
        decisions: Result<Decisions, Error>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        store_replied(sent);
        if let (Some(cache), Ok(decisions)) = (&self.shared.deny_cache, &decisions) {
            cache.note(sent, requests, decisions);
        }
        self.conclude(decisions, mode, requests)
    }

    /// Adjusts charged units where they are charged.
    pub(crate) fn adjust(&self, source: Source, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        match source {
            Source::Store => self.adjust_store(adjustments),
            Source::Local => Reply::ready(self.local().adjust_now(adjustments)),
            Source::Nobody => Reply::ready(Ok(adjustments.iter().map(|_| 0).collect())),
        }
    }

    fn adjust_store(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let returns = adjustments
            .iter()
            .filter(|change| matches!(change.change(), Change::Give(_)) && !change.limit().is_concurrency());
        let forgetting = Forgetting::start(self, returns.map(Adjustment::key));
        match (self.shared.store.adjust(adjustments).into_kind(), forgetting) {
            (ReplyKind::Pending(adjusting), Some(forgetting)) => Reply::pending(async move {
                let _forgetting = forgetting;
                adjusting.await
            }),
            (adjusted, _) => adjusted.into(),
        }
    }

    pub(crate) async fn within_deadline<T: Unpin>(&self, reply: Reply<T>) -> Result<T, Error> {
        match reply.into_kind() {
            ReplyKind::Ready(result) => result,
            ReplyKind::Pending(reply) => self.until_deadline(Instant::now(), reply).await,
        }
    }

    /// Awaits the reply to a request that was sent at `sent`. Returns an error when the deadline has passed.
    pub(super) async fn until_deadline<T>(&self, sent: Instant, reply: PendingReply<T>) -> Result<T, Error> {
        Error::unless_runtime()?;
        self.deadline(sent, reply).await.unwrap_or_else(|| Err(self.too_late()))
    }

    /// Gives the reply to a request that was sent at `sent` the deadline of this limiter.
    pub(super) fn deadline<T>(&self, sent: Instant, reply: PendingReply<T>) -> UntilDeadline<T> {
        UntilDeadline::new(reply, sent, self.within())
    }

    /// The time within which the store has to reply.
    pub(super) fn within(&self) -> Duration {
        self.shared.deadline.min(LONGEST_TIME)
    }

    pub(super) fn too_late(&self) -> Error {
        Error::new(ErrorKind::Timeout, format!("the store did not reply within {:?}", self.shared.deadline))
    }

    /// The memory store that decides while the store is unavailable. Created on first use.
    fn local(&self) -> &MemoryStore {
        self.shared.local.get_or_init(MemoryStore::new)
    }

    /// Notes whether the store has decided about this many requests. A reply with another number of decisions is an error.
    pub(super) fn note_reply(
        &self,
        decisions: Result<Decisions, Error>,
        requests: usize,
    ) -> Result<Decisions, Error> {
        let decisions = decisions.and_then(|decisions| {
            if decisions.len() == requests { Ok(decisions) } else { Err(invalid_reply()) }
        });
        match &decisions {
            Ok(_) => self.shared.outage.succeeded(),
            Err(error) => {
                store_failed(error);
                if error.is_transient() {
                    self.shared.outage.failed(error);
                }
            }
        }
        decisions
    }

    /// Returns the store's decisions. After a transient error, returns what the failure policy decides.
    pub(super) fn conclude(
        &self,
        decisions: Result<Decisions, Error>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        let error = match self.note_reply(decisions, requests.len()) {
            Ok(decisions) => return Ok(Decided { decisions, source: Source::Store }),
            Err(error) => error,
        };
        if !error.is_transient() {
            return Err(error.about(IdentityHash::of_all(self.keys(), requests)));
        }
        match self.on_error {
            OnError::Deny => Err(error),
            OnError::Allow => {
                let allow = |request: &&Request| {
                    Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO)
                };
                Ok(Decided { decisions: requests.iter().map(allow).collect(), source: Source::Nobody })
            }
            OnError::Local => {
                Ok(Decided { decisions: self.local().decide_now(mode, requests)?, source: Source::Local })
            }
        }
    }
}

fn borrowed(decided: &Result<Decided, Error>) -> Result<DecidedRef<'_>, Error> {
    decided.as_ref().map(Decided::borrowed).map_err(Error::clone)
}

fn references(requests: &[Request]) -> SmallVec<[&Request; 2]> {
    requests.iter().collect()
}
