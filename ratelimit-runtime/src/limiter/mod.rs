//! The limiter: a store, and everything that is decided around it.

mod acquire;
mod admit;
mod admitted;
mod builder;
mod charge;
mod check;
pub(crate) mod current;
mod decide;
mod deny_cache;
mod holdings;
mod lease;
mod outage;
mod overrides;
mod permit;
mod permit_waiters;
mod renewals;
pub(crate) mod report;
mod resolve;
mod shadow;
mod single_task;
mod stack;
mod tasks;

pub(crate) use admit::Refused;
pub use admitted::Admitted;
pub(crate) use admitted::undecided;
pub use builder::RateLimiterBuilder;
pub use charge::Charge;
pub(crate) use current::Current;
pub(crate) use decide::Outcome;
pub(crate) use holdings::Holdings;
pub use overrides::{Override, OverrideEffect, OverrideTarget, Overrides};
pub use permit::Permit;
pub(crate) use stack::{Member, Stack, join};

use crate::key::KeySettings;
use crate::store::Store;
use crate::store::memory::MemoryStore;
use deny_cache::DenyCache;
use lease::Leases;
use overrides::Snapshot;
use permit_waiters::PermitWaiters;
use renewals::Renewals;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tasks::Tasks;

/// Decides whether calls may go on: a store, a prefix for its keys, a deadline and a failure policy.
///
/// Cheap to clone; clones share everything. Build one with [`RateLimiter::builder`], [`install`](crate::install) it
/// for the whole process, or hand it to single functions with `limiter = ..`.
///
/// Its methods need no attribute:
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

struct Shared {
    store: Box<dyn Store>,
    keys: KeySettings,
    deadline: Duration,
    /// Decides while the store cannot; made when it is first needed.
    local: OnceLock<MemoryStore>,
    outage: outage::Outage,
    deny_cache: Option<DenyCache>,
    overrides: Snapshot,
    renewals: Renewals,
    leases: Leases,
    permit_waiters: PermitWaiters,
    tasks: Tasks,
}

/// What happens to a call when the store is out of reach, or does not answer in time.
///
/// It is asked for failures that pass by themselves. A wrong password, a missing permission or a script error is
/// none: then calls are rejected as unavailable, whatever the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnError {
    /// Decides by the same limit in the memory of this process until the store is back: each process admits at
    /// most the limit.
    #[default]
    Local,
    /// Lets the call go on.
    Allow,
    /// Rejects the call as unavailable: what a login or a payment wants.
    Deny,
}

/// The longest time that is ever added to a moment, 34 years: any clock can count that far.
const FAR: Duration = Duration::from_secs(1 << 30);

impl RateLimiter {
    /// Starts a limiter. Without [`redis`](RateLimiterBuilder::redis) or
    /// [`store`](RateLimiterBuilder::store) it keeps its limits in the memory of this process.
    pub fn builder() -> RateLimiterBuilder {
        RateLimiterBuilder::default()
    }

    /// A limiter with a [`MemoryStore`] and default settings: for one process, and for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::builder().around(Box::new(MemoryStore::new()))
    }

    /// The same limiter with another failure policy, for limits that need their own: a login may be denied while the
    /// store is away, where a search goes on. Everything else is shared.
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

    /// The limits that are replaced while everything runs.
    #[must_use]
    pub const fn overrides(&self) -> Overrides<'_> {
        Overrides::of(self)
    }

    /// Gives back all permits and all units on lease, and waits until everything that was to be given back has arrived, at most
    /// five deadlines long. Call it when the service shuts down: a permit that is not given back is free again when
    /// its lease ends. The limiter works on afterwards.
    pub async fn close(&self) {
        self.shared.renewals.release_all(self);
        self.return_leases();
        let patience = self.shared.deadline.saturating_mul(5).min(FAR);
        let _ = tokio::time::timeout(patience, self.shared.tasks.idle()).await;
    }

    /// For work that no policy is asked about.
    fn of(shared: Arc<Shared>) -> Self {
        Self { shared, on_error: OnError::default() }
    }

    pub(crate) fn keys(&self) -> &KeySettings {
        &self.shared.keys
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("prefix", &self.shared.keys.prefix)
            .field("deadline", &self.shared.deadline)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}
