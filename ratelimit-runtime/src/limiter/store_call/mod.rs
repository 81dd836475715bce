//! Asks the store about a call: sends the requests with a deadline, looks in the deny cache, and applies the failure policy.

mod decide;
mod decided;
mod deny_cache;
mod outage;

pub(super) use decided::{Decided, invalid_reply, longest_refusal};
pub(super) use deny_cache::Forgetting;

use super::LONGEST_TIME;
use crate::clock::OutageClock;
use crate::coop::poll_yield;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::observe::{Hooks, store_failed};
use crate::store::memory::MemoryStore;
use crate::store::{Decisions, PendingReply, Reply, Request, Store, UntilDeadline};
use deny_cache::DenyCache;
use outage::Outage;
use std::future::poll_fn;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::time::Instant;

/// The store of a limiter, with the deadline, the current outage and the remembered refusals.
pub(super) struct StoreCalls {
    store: Box<dyn Store>,
    /// The time within which the store must reply. It is short enough to be added to an `Instant`.
    deadline: Duration,
    /// Decides while the store is unavailable, if the failure policy is *local*. Created on first use.
    local: OnceLock<MemoryStore<OutageClock>>,
    pub(super) outage: Outage,
    deny_cache: Option<DenyCache>,
}

impl StoreCalls {
    pub(super) fn new(store: Box<dyn Store>, deadline: Duration, deny_cache: bool, hooks: Hooks) -> Self {
        let (deadline, local) = (deadline.min(LONGEST_TIME), OnceLock::new());
        Self {
            store,
            deadline,
            local,
            outage: Outage::new(hooks),
            deny_cache: deny_cache.then(DenyCache::new),
        }
    }

    /// Returns the store itself. Its replies have no deadline, and neither the deny cache nor the failure policy applies.
    #[inline]
    pub(super) fn bare(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the time within which the store must reply.
    pub(super) const fn deadline(&self) -> Duration {
        self.deadline
    }

    pub(super) async fn within_deadline<T: Unpin>(&self, reply: Reply<T>) -> Result<T, Error> {
        self.within_rest(None, reply).await
    }

    /// Awaits a reply for the rest of the deadline of a call. If the deadline has already passed, returns an error without
    /// polling the reply. A loop over a store that fails at once lets other tasks run: one of them looks for the server.
    pub(super) async fn within_rest<T: Unpin>(
        &self,
        began: Option<Instant>,
        reply: Reply<T>,
    ) -> Result<T, Error> {
        self.ensure_time(began)?;
        let result = match reply {
            Reply::Ready(result) => result,
            Reply::Pending(reply) => self.until_deadline(began.unwrap_or_else(Instant::now), reply).await,
        };
        if result.is_err() {
            poll_fn(poll_yield).await;
        }
        result
    }

    /// Returns an error if the deadline of a call has passed before the store is asked.
    #[inline]
    pub(super) fn ensure_time(&self, began: Option<Instant>) -> Result<(), Error> {
        match began {
            Some(began) if began.elapsed() >= self.deadline => Err(self.too_late()),
            _ => Ok(()),
        }
    }

    /// Awaits the reply to a request that was sent at `sent`. Returns an error when the deadline has passed.
    pub(super) async fn until_deadline<T>(&self, sent: Instant, reply: PendingReply<T>) -> Result<T, Error> {
        Error::unless_runtime()?;
        self.with_deadline(sent, reply).await.unwrap_or_else(|| Err(self.too_late()))
    }

    /// Adds the deadline of this limiter to the reply to a request that was sent at `sent`.
    pub(super) fn with_deadline<T>(&self, sent: Instant, reply: PendingReply<T>) -> UntilDeadline<T> {
        UntilDeadline::new(reply, sent, self.deadline)
    }

    pub(super) fn too_late(&self) -> Error {
        Error::new(ErrorKind::Timeout, format!("the store did not reply within {:?}", self.deadline))
    }

    /// Returns the memory store that decides while the store is unavailable.
    fn local(&self) -> &MemoryStore<OutageClock> {
        self.local.get_or_init(|| MemoryStore::with_clock(OutageClock::start()))
    }

    /// Passes the decisions of the store to the deny cache, if there is one. The cache remembers a refusal.
    pub(super) fn remember(&self, sent: Instant, requests: &[&Request], decisions: &[Decision]) {
        if let Some(cache) = &self.deny_cache {
            cache.note(sent, requests, decisions);
        }
    }

    /// Notes whether the store has decided about its requests. `requests` is their number; a reply with another number of
    /// decisions is an error.
    #[inline]
    pub(super) fn note_reply(
        &self,
        decisions: Result<Decisions, Error>,
        requests: usize,
    ) -> Result<Decisions, Error> {
        let decisions = decisions.and_then(|decisions| {
            if decisions.len() == requests { Ok(decisions) } else { Err(invalid_reply()) }
        });
        match &decisions {
            Ok(_) => self.outage.succeeded(),
            Err(error) => {
                store_failed(error);
                if self.is_outage(error) {
                    self.outage.failed(error);
                }
            }
        }
        decisions
    }

    /// Whether the failure policy applies to an error of the store. A wrong configuration must be seen, so it applies to no call
    /// until the store has decided once. From then on, the same error means that somebody has changed the server. Any other error
    /// is the fault of the caller.
    pub(super) fn is_outage(&self, error: &Error) -> bool {
        error.is_transient() || error.is_of_server() && self.outage.has_decided()
    }
}
