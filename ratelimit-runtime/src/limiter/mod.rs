//! The limiter: a store with a key prefix, a deadline, a failure policy and overrides.

mod builder;
mod call;
mod client_ip;
pub(crate) mod current;
pub(crate) mod installed;
mod layers;
mod limits;
mod off;
mod overrides;
mod permits;
mod postponed;
mod resolve;
mod single_task;
mod status;

pub use builder::RateLimiterBuilder;
pub use call::{Admitted, Charge, Permit};
pub(crate) use call::{Holdings, Member, Pending, Stack, failed, join, limited, passed, shadow_failed};
pub(crate) use current::CurrentLimiter;
pub use layers::OnError;
pub(crate) use limits::note;
pub use overrides::{KnownLimit, Override, OverrideEffect, OverrideTarget, OverrideUpdate, Overrides};
pub use status::Status;

use crate::clock::{LONGEST_TIME, timer};
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::key::{KeySettings, StoreKey};
use crate::macros::opaque;
use crate::observe::Watch;
use crate::proxies::Proxies;
use crate::store::{Mode, PendingReply, Request};
use crate::tasks::Tasks;
use layers::{Ask, Deadline, Decided, Leases, Outage, Policy, Refusals};
use overrides::Snapshot;
use permits::Permits;
use postponed::Postponed;
use status::Probes;
use std::sync::Arc;
use tokio::time::Instant;

/// Decides whether calls are admitted. It has a store, a prefix for its keys, a deadline and a failure policy.
///
/// A limiter is cheap to clone, and clones share all state. Build one with [`RateLimiter::builder`]. Then
/// [`install`](crate::install) it for the whole process, or pass it to single functions with `limiter = ..`.
///
/// Its methods work without the attribute:
///
/// | | takes units of | may wait for its turn | afterwards |
/// |---|---|---|---|
/// | [`check`](Self::check), [`check_all`](Self::check_all) | a limit, or several at once | no | the units stay taken |
/// | [`check_now`](Self::check_now) | a limit in memory, without a future | no | the units stay taken |
/// | [`acquire`](Self::acquire) | a limit | yes, up to its [`wait`](crate::Limit::wait) | the units stay taken |
/// | [`charge`](Self::charge) | a limit | yes | a [`Charge`], which refunds or settles them |
/// | [`permit`](Self::permit) | a concurrency limit | yes | a [`Permit`], which returns them when it is dropped |
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::in_memory();
/// let hourly = Limit::counter(2, Duration::from_secs(3600));
/// let mails = || Key::new("mails").by("user 7");
///
/// limiter.check(&hourly, mails()).await?; // a refused call returns a `Rejection`
/// assert_eq!(limiter.peek(&hourly, mails()).await?.remaining(), 1);
/// assert!(limiter.check_cost(&hourly, mails(), 2).await.is_err());
/// limiter.reset(&hourly, mails()).await?;
/// assert_eq!(limiter.peek(&hourly, mails()).await?.remaining(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RateLimiter {
    shared: Arc<Shared>,
    on_error: OnError,
}

impl RateLimiter {
    /// Returns a builder with default settings. Without [`redis`](RateLimiterBuilder::redis) or
    /// [`store`](RateLimiterBuilder::store), the limiter stores its state in the memory of this process.
    pub fn builder() -> RateLimiterBuilder {
        RateLimiterBuilder::default()
    }

    /// Returns a limiter with a [`MemoryStore`](crate::MemoryStore) and default settings, for a single process or for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::builder().in_memory()
    }

    /// Returns the same limiter with another failure policy. For example, logins can be rejected while the store is unavailable,
    /// and searches continue. The two limiters share everything else.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::{Limit, OnError, RateLimiter};
    /// use std::time::Duration;
    ///
    /// const LOGINS: Limit = Limit::counter(5, Duration::from_secs(60));
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let strict = limiter.with_on_error(OnError::Deny);
    /// strict.check(&LOGINS, "login").await?;
    /// assert_eq!(limiter.peek(&LOGINS, "login").await?.remaining(), 4);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_on_error(&self, on_error: OnError) -> Self {
        Self { shared: Arc::clone(&self.shared), on_error }
    }

    /// Returns the overrides, which change limits while the service runs.
    pub const fn overrides(&self) -> Overrides<'_> {
        Overrides::of(self)
    }

    /// Returns all permits and all leased units, and waits until the store has received them, for at most five
    /// deadlines. Call it when the service shuts down. A permit that is not returned stays taken until its lease ends.
    /// The limiter can still be used afterwards.
    ///
    /// Outside of a tokio runtime, and in a runtime without timers, this method returns at once. A store in memory has then
    /// received everything. A store such as Redis has received nothing.
    pub async fn close(&self) {
        self.shared.permits.release_all(self);
        self.shared.leases.return_all();
        let timeout = self.shared.store.within().saturating_mul(5).min(LONGEST_TIME);
        if let Err(error) = timer::timeout(timeout, self.shared.tasks.idle()).await {
            tracing::warn!(%error, "cannot wait for the return of permits and leased units");
        }
    }

    /// Decides a stack, under the failure policy. If nothing has to be awaited, passes the decisions and their source to `then`, so
    /// that they need not be copied. Otherwise returns the pending reply as `Err`, which borrows nothing. `began` is the time at
    /// which the call began, if it has already waited.
    #[inline]
    fn decide<T>(
        &self,
        began: Option<Instant>,
        mode: Mode,
        requests: &[&Request],
        then: impl FnOnce(Result<(Source, &[Decision]), Error>) -> T,
    ) -> Result<T, PendingReply<Decided>> {
        let Shared { store, policy, .. } = &*self.shared;
        if let Err(late) = store.ensure_time(began) {
            return Ok(match policy.apply(self.on_error, late, mode, requests) {
                Ok(Decided { decisions, source }) => then(Ok((source, &decisions))),
                Err(error) => then(Err(error)),
            });
        }
        let decided = policy.decide(self.on_error, Ask { began, mode, requests }, then);
        if decided.is_err() {
            self.take_over_tasks(Instant::now());
        }
        decided
    }

    /// Whether `other` is a clone of this limiter with the same failure policy.
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) && self.on_error == other.on_error
    }

    /// Starts in this runtime the background tasks that are late in another runtime.
    fn take_over_tasks(&self, now: Instant) {
        self.take_over_watch(now);
        self.shared.permits.take_over(self, now);
        self.shared.postponed.send(now);
    }

    /// Makes a limiter for background tasks. They do not use the failure policy.
    fn of(shared: Arc<Shared>) -> Self {
        Self { shared, on_error: OnError::default() }
    }

    /// Returns the number of this limiter, which clones share. No other limiter of this process has the same number.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.shared.id
    }

    #[inline]
    pub(crate) fn keys(&self) -> &KeySettings {
        &self.shared.keys
    }

    /// Returns a key of this prefix for the library itself. No identity has the tag `#`, so no limit has this key.
    fn own_key(&self, name: &str) -> StoreKey {
        StoreKey::new(format!("{}:{{#}}:{name}", self.keys().prefix()).as_bytes())
    }
}

opaque!(
    RateLimiter,
    |this| prefix = this.keys().prefix(),
    deadline = this.shared.store.within(),
    on_error = this.on_error,
    off = this.is_off(),
);

/// The part of a limiter that its clones share. The builder makes it.
struct Shared {
    /// The number of this limiter in the process.
    id: u64,
    keys: KeySettings,
    service_version: Option<Box<str>>,
    proxies: Proxies,
    /// Whether limits are off, so that every call passes undecided.
    off: bool,
    // The layers of a decision, from the lowest to the uppermost.
    store: Arc<Deadline>,
    refusals: Arc<Refusals>,
    leases: Arc<Leases>,
    policy: Arc<Policy>,
    outage: Arc<Outage>,
    /// Whether the store decides by the hashes of keys, and limits are on.
    decides_hashes: bool,
    overrides: Snapshot,
    permits: Permits,
    postponed: Arc<Postponed>,
    probes: Probes,
    tasks: Tasks,
    /// The settings and hooks with which the observation of each call begins.
    watch: Watch,
}
