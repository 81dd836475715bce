//! The limiter: a store, and everything that is decided around it.

mod builder;
pub(crate) mod current;

pub use builder::RateLimiterBuilder;

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, KeySettings, RenderedKey};
use crate::limit::Limit;
use crate::store::memory::MemoryStore;
use crate::store::{Decisions, Reply, Request, Store};
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Decides whether calls may go on: a store, a prefix for its keys, a deadline and a failure policy.
///
/// Cheap to clone; clones share everything. Build one with [`RateLimiter::builder`], [`install`](crate::install) it
/// for the whole process, or hand it to single functions with `limiter = ..`.
///
/// Its methods need no attribute:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::in_memory();
/// let hourly = Limit::counter(2, Duration::from_secs(3600));
/// let mails = || Key::new("mails").by("user 7");
///
/// assert!(limiter.check(&hourly, mails()).await?.allowed());
/// assert_eq!(limiter.peek(&hourly, mails()).await?.remaining(), 1);
/// assert!(!limiter.check_cost(&hourly, mails(), 2).await?.allowed());
/// limiter.reset(&hourly, mails()).await?;
/// assert_eq!(limiter.peek(&hourly, mails()).await?.remaining(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RateLimiter {
    shared: Arc<Shared>,
}

struct Shared {
    store: Box<dyn Store>,
    keys: KeySettings,
    deadline: Duration,
    on_error: OnError,
    /// Decides while the store cannot; made when it is first needed.
    local: OnceLock<MemoryStore>,
    failing: AtomicBool,
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

    /// Takes one unit of a limit, if it is free.
    ///
    /// Nothing happens before the future is polled. If it is dropped before it is ready, the unit may have been
    /// taken or not.
    ///
    /// # Errors
    ///
    /// When no decision could be made: a store that is ill under [`OnError::Deny`], a wrong configuration, or a key
    /// without identity ([`ErrorKind::NoIdentity`]). A refusal is no error.
    pub fn check(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        self.check_cost(limit, key, 1)
    }

    /// Takes `cost` units of a limit, or none. A cost of zero is answered and takes nothing; one above the
    /// limit's [`capacity`](Limit::capacity) is refused for good (`retry_after` is `None`).
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn check_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        let (limiter, limit, key) =
            (self.clone(), *limit, key::render(&key, &self.shared.keys, limit.form()));
        async move { limiter.decide(&key?, &limit, cost).await }
    }

    /// What [`check`](Self::check) would answer now, without taking anything.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
    pub fn peek(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        let (limiter, limit, key) =
            (self.clone(), *limit, key::render(&key, &self.shared.keys, limit.form()));
        async move {
            let reply = limiter.ask(&key?, &limit, 1, Store::peek);
            first(&limiter.within_deadline(reply).await?)
        }
    }

    /// Forgets what is in use of a limit under a key: the next call finds it untouched.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
    pub fn reset(&self, limit: &Limit, key: impl AsKey) -> impl Future<Output = Result<(), Error>> + Send {
        let (limiter, key) = (self.clone(), key::render(&key, &self.shared.keys, limit.form()));
        async move {
            let key = key?;
            let reply = limiter.shared.store.reset(&[key.as_store_key()]);
            limiter.within_deadline(reply).await
        }
    }

    pub(crate) fn keys(&self) -> &KeySettings {
        &self.shared.keys
    }

    /// Decides one request under the failure policy. What needs no waiting is decided before this returns.
    pub(crate) fn decide(&self, key: &RenderedKey, limit: &Limit, cost: u32) -> Reply<Decision> {
        match self.ask(key, limit, cost, Store::decide) {
            Reply::Ready(answer) => {
                let answer =
                    answer.unwrap_or_else(|| Err(Error::new(ErrorKind::Unavailable, "an empty reply")));
                Reply::ready(self.conclude(answer, key, limit, cost))
            }
            pending @ Reply::Pending(_) => {
                let (limiter, key, limit) = (self.clone(), key.clone(), *limit);
                Reply::pending(async move {
                    let answer = limiter.within_deadline(pending).await;
                    limiter.conclude(answer, &key, &limit, cost)
                })
            }
        }
    }

    fn ask<T>(
        &self,
        key: &RenderedKey,
        limit: &Limit,
        cost: u32,
        question: impl FnOnce(&dyn Store, &[Request<'_>]) -> T,
    ) -> T {
        let request = Request::new(key.as_store_key(), limit, cost);
        question(&*self.shared.store, &[request])
    }

    async fn within_deadline<T: Unpin>(&self, reply: Reply<T>) -> Result<T, Error> {
        match reply {
            ready @ Reply::Ready(_) => ready.await,
            Reply::Pending(future) => {
                Error::unless_runtime()?;
                let answer = tokio::time::timeout(self.shared.deadline, future).await;
                answer.unwrap_or_else(|_| Err(self.too_late()))
            }
        }
    }

    fn too_late(&self) -> Error {
        Error::new(
            ErrorKind::Timeout,
            format!("the store has not answered within {:?}", self.shared.deadline),
        )
    }

    /// The store's decision, or what the failure policy makes of an error.
    fn conclude(
        &self,
        answer: Result<Decisions, Error>,
        key: &RenderedKey,
        limit: &Limit,
        cost: u32,
    ) -> Result<Decision, Error> {
        let error = match answer.and_then(|decisions| first(&decisions)) {
            Ok(decision) => {
                self.note_recovery();
                return Ok(decision);
            }
            Err(error) => error,
        };
        if !error.is_transient() {
            return Err(error);
        }
        self.note_outage(&error);
        match self.shared.on_error {
            OnError::Deny => Err(error),
            OnError::Allow => Ok(Decision::allow(limit, limit.capacity(), Duration::ZERO)),
            OnError::Local => {
                let local = self.shared.local.get_or_init(MemoryStore::new);
                let request = Request::new(key.as_store_key(), limit, cost);
                first(&local.decide_now(&[request])?)
            }
        }
    }

    fn note_outage(&self, error: &Error) {
        if !self.shared.failing.swap(true, Ordering::Relaxed) {
            let policy = self.shared.on_error;
            tracing::warn!(%error, ?policy, "the store is away: limits are decided by the policy");
        }
    }

    fn note_recovery(&self) {
        if self.shared.failing.load(Ordering::Relaxed) && self.shared.failing.swap(false, Ordering::Relaxed) {
            tracing::info!("the store is back: limits are decided by it again");
        }
    }
}

fn first(decisions: &Decisions) -> Result<Decision, Error> {
    let first = decisions.first().copied();
    first.ok_or_else(|| Error::new(ErrorKind::Configuration, "the store has answered nothing"))
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("prefix", &self.shared.keys.prefix)
            .field("deadline", &self.shared.deadline)
            .field("on_error", &self.shared.on_error)
            .finish_non_exhaustive()
    }
}
