//! `Policy`: the uppermost layer, which decides if the store fails.

use super::decided::Decided;
use super::lease::{LeasedLater, Leases};
use super::{Ask, Origin, Outage};
use crate::clock::OutageClock;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::observe::IdentityHash;
use crate::store::memory::MemoryStore;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, PendingReply, Reply, Request};
use crate::writer::KeySettings;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// The failure policy: what happens to a call when the store is unavailable or does not reply in time.
///
/// Until the store has decided once, the policy applies to transient errors only: after a configuration error, such as a wrong
/// password, a missing permission or a script error, calls are rejected as unavailable under every policy. From then on, such an
/// error means that somebody has changed the server, and the policy applies to it, too. A mistake of the caller, such as two
/// limits with one key, is always rejected.
///
/// ```
/// use ratelimit::{OnError, Rejection, rate_limit};
///
/// /// Without Redis nobody could say how often a password was tried, so nobody logs in.
/// #[rate_limit(time = 60, count = 5, by = user, on_error = "deny")]
/// async fn login(user: u64) -> Result<(), Rejection> {
///     Ok(())
/// }
///
/// # fn main() -> Result<(), ratelimit::Error> {
/// // All other functions decide in memory while Redis is unavailable.
/// let limiter = ratelimit::RateLimiter::builder().on_error(OnError::Local).build()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnError {
    /// Decides by the same limit in the memory of this process until the store is available again. Each process by itself then
    /// admits at most what the limit allows.
    #[default]
    Local,
    /// Admits the call.
    Allow,
    /// Rejects the call as unavailable. This suits a login or a payment.
    Deny,
}

/// Applies the failure policy of a limiter to errors of the store.
pub(in crate::limiter) struct Policy {
    below: Arc<Leases>,
    /// Decides while the store is unavailable, if the failure policy is *local*. Created on first use.
    local: OnceLock<MemoryStore<OutageClock>>,
    outage: Arc<Outage>,
    /// For the hash of a caller in the text of an error.
    keys: KeySettings,
}

impl Policy {
    pub(in crate::limiter) fn new(below: Arc<Leases>, outage: Arc<Outage>, keys: KeySettings) -> Self {
        Self { below, local: OnceLock::new(), outage, keys }
    }

    /// Decides a stack. If nothing has to be awaited, passes the decisions and their source to `then`, so that they need not be
    /// copied. Otherwise returns the pending reply as `Err`. The reply borrows nothing.
    #[inline]
    pub(in crate::limiter) fn decide<T>(
        self: &Arc<Self>,
        on_error: OnError,
        ask: Ask<'_>,
        then: impl FnOnce(Result<(Source, &[Decision]), Error>) -> T,
    ) -> Result<T, PendingReply<Decided>> {
        let decided = self.below.decide(ask, |ready| match ready {
            Ok((origin, decisions)) => {
                if origin == Origin::Store {
                    self.outage.succeeded();
                }
                then(Ok((Source::Store, decisions)))
            }
            Err(error) => match self.apply(on_error, error, ask.mode, ask.requests) {
                Ok(Decided { decisions, source }) => then(Ok((source, &decisions))),
                Err(error) => then(Err(error)),
            },
        });
        decided.map_err(|later| {
            let policy = Arc::clone(self);
            PendingReply::new(Applied { policy, on_error, mode: ask.mode, later })
        })
    }

    /// Notes an error of the store. In an outage, returns what the failure policy decides. Returns any other error.
    #[cold]
    pub(in crate::limiter) fn apply(
        &self,
        on_error: OnError,
        error: Error,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Decided, Error> {
        self.outage.note(&error);
        if !self.outage.explains(&error) {
            let keys = requests.iter().map(|request| request.key());
            return Err(error.about(IdentityHash::of_all(&self.keys, keys)));
        }
        match on_error {
            OnError::Deny => Err(error),
            OnError::Allow => {
                let decisions = requests.iter().map(|request| admitted(request)).collect();
                Ok(Decided { decisions, source: Source::Nobody })
            }
            OnError::Local => {
                let decisions = self.local().decide_now(mode, requests)?;
                Ok(Decided { decisions, source: Source::Local })
            }
        }
    }

    /// Returns the memory store that decides while the store is unavailable.
    pub(in crate::limiter) fn local(&self) -> &MemoryStore<OutageClock> {
        self.local.get_or_init(|| MemoryStore::with_clock(OutageClock::start()))
    }

    /// Adjusts charged units where they were charged: in the store or in the local memory.
    pub(in crate::limiter) fn adjust(&self, source: Source, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        match source {
            Source::Store => self.below.adjust(adjustments),
            Source::Local => Reply::ready(self.local().adjust_now(adjustments)),
            Source::Nobody => Reply::ready(Ok(adjustments.iter().map(|_| 0).collect())),
        }
    }
}

/// Awaited decisions, to whose errors the failure policy applies.
struct Applied {
    policy: Arc<Policy>,
    on_error: OnError,
    mode: Mode,
    later: LeasedLater,
}

impl Future for Applied {
    type Output = Result<Decided, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decisions: Result<Decisions, Error> = ready!(Pin::new(&mut self.later).poll(context));
        let Self { policy, on_error, mode, later } = &*self;
        Poll::Ready(match decisions {
            Ok(decisions) => {
                policy.outage.succeeded();
                Ok(Decided { decisions, source: Source::Store })
            }
            Err(error) => later.read(|requests| policy.apply(*on_error, error, *mode, requests)),
        })
    }
}

/// Admits a request, and reports that nothing of its limit is in use.
pub(in crate::limiter) fn admitted(request: &Request) -> Decision {
    Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO)
}
