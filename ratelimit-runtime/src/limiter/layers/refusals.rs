//! `Refusals`: the layer of the refusals that this process remembers, if the limiter has a deny cache.

use super::deny_cache::DenyCache;
use super::{Ask, Asked, Deadline, Origin, Ready};
use crate::decision::Decision;
use crate::error::Error;
use crate::observe::deny_cache_hit;
use crate::store::{Adjusted, Adjustment, Change, Decisions, Reply, Request, StoreKey};
use smallvec::SmallVec;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::time::Instant;

/// Remembers the refusals of the store, which it asks about everything else.
pub(in crate::limiter) struct Refusals {
    below: Arc<Deadline>,
    cache: Option<Arc<DenyCache>>,
}

impl Refusals {
    pub(in crate::limiter) fn new(below: Arc<Deadline>, remembers: bool) -> Self {
        Self { below, cache: remembers.then(|| Arc::new(DenyCache::new())) }
    }

    pub(in crate::limiter) fn store(&self) -> &Deadline {
        &self.below
    }

    #[inline]
    pub(in crate::limiter) fn decide<T>(
        &self,
        ask: Ask<'_>,
        then: impl FnOnce(Ready<'_>) -> T,
    ) -> Result<T, Remembered> {
        if let Some(refusal) = self.cache.as_ref().and_then(|cache| cache.refusal(ask.requests)) {
            deny_cache_hit();
            return Ok(then(Ok((Origin::Known, &[refusal]))));
        }
        self.below.decide(ask, then).map_err(|asked| Remembered { cache: self.cache.clone(), asked })
    }

    /// Remembers refusals of requests that were sent at `sent`. Admitted requests end what is remembered of their keys.
    pub(in crate::limiter) fn remember(&self, sent: Instant, requests: &[&Request], decisions: &[Decision]) {
        if let Some(cache) = &self.cache {
            cache.note(sent, requests, decisions);
        }
    }

    /// Sends changes of charged units to the store. Refusals of keys that get units back are forgotten.
    pub(in crate::limiter) fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let returns = adjustments
            .iter()
            .filter(|change| matches!(change.change(), Change::Give(_)) && !change.limit().is_concurrency());
        let forgetting = self.forget(returns.map(Adjustment::key));
        match (self.below.bare().adjust(adjustments), forgetting) {
            (Reply::Pending(adjusting), Some(forgetting)) => Reply::pending(async move {
                let _forgetting = forgetting;
                adjusting.await
            }),
            (adjusted, _) => adjusted,
        }
    }

    /// Forgets the refusals of keys that a request changes. Returns `None` if there are no keys or no deny cache.
    pub(in crate::limiter) fn forget<'k>(
        &self,
        keys: impl Iterator<Item = &'k StoreKey>,
    ) -> Option<Forgetting> {
        let cache = self.cache.as_ref()?;
        let keys: SmallVec<[u64; 1]> = keys.map(StoreKey::hash).collect();
        cache.forget(&keys);
        (!keys.is_empty()).then(|| Forgetting { cache: Arc::clone(cache), keys })
    }
}

/// Keys whose state a request is changing: it returns units, changes a gate or deletes the state. The refusals of the keys are
/// forgotten when this value is made. They are forgotten again when this value is dropped, because a call in between may be
/// decided before the change.
pub(in crate::limiter) struct Forgetting {
    cache: Arc<DenyCache>,
    keys: SmallVec<[u64; 1]>,
}

impl Drop for Forgetting {
    fn drop(&mut self) {
        self.cache.forget(&self.keys);
    }
}

/// Awaited decisions of the store. A refusal is remembered.
pub(in crate::limiter) struct Remembered {
    cache: Option<Arc<DenyCache>>,
    asked: Asked,
}

impl Remembered {
    pub(in crate::limiter) fn read<T>(&self, read: impl FnOnce(&[&Request]) -> T) -> T {
        self.asked.read(read)
    }
}

impl Future for Remembered {
    type Output = Result<Decisions, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decisions = ready!(Pin::new(&mut self.asked).poll(context));
        if let (Some(cache), Ok(decisions)) = (&self.cache, &decisions) {
            self.asked.read(|requests| cache.note(self.asked.sent, requests, decisions));
        }
        Poll::Ready(decisions)
    }
}
