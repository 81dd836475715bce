//! Types for authors of a store. Applications do not need them.
//!
//! A [`Store`] stores the state of limits. It takes a slice of [`Request`]s and returns a [`Decision`] about each request. Pass
//! your own store to [`RateLimiterBuilder::store`](crate::RateLimiterBuilder::store). The following store delegates to another
//! store and counts its batches:
//!
//! ```
//! use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
//! use ratelimit::{Limit, MemoryStore, RateLimiter};
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::time::Duration;
//!
//! #[derive(Default)]
//! struct Counting {
//!     store: MemoryStore,
//!     batches: Arc<AtomicU64>,
//! }
//!
//! impl Store for Counting {
//!     fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
//!         self.batches.fetch_add(1, Ordering::Relaxed);
//!         self.store.decide(mode, requests)
//!     }
//!
//!     fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
//!         self.store.adjust(adjustments)
//!     }
//!
//!     fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
//!         self.store.reset(keys)
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! const DAILY: Limit = Limit::counter(100, Duration::from_secs(86_400));
//!
//! let store = Counting::default();
//! let batches = Arc::clone(&store.batches);
//! let limiter = RateLimiter::builder().store(store).build()?;
//! limiter.check(&DAILY, "mails").await?;
//! assert_eq!(batches.load(Ordering::Relaxed), 1);
//! # Ok(()) }
//! ```

mod adjustment;
mod all;
pub(crate) mod cost;
mod deadline;
pub(crate) mod memory;
mod missed_deadline;
#[cfg_attr(target_family = "wasm", path = "no_redis.rs")]
pub(crate) mod redis;
mod reply;
mod request;
mod results;

pub use self::redis::RedisServer;
pub use crate::key::{StoreKey, StoredKey};
use crate::macros::opaque;
pub use adjustment::{Adjustment, Change};
pub(crate) use all::all;
pub(crate) use deadline::UntilDeadline;
pub(crate) use missed_deadline::Awaited;
pub use missed_deadline::MissedDeadline;
pub use reply::Reply;
pub(crate) use reply::{DeadlineWatch, PendingReply, QueuedReply};
pub(crate) use request::NO_PERMIT;
pub use request::{Mode, Request, stacks};
pub use results::{Adjusted, Decisions, Results};

#[cfg(doc)]
use crate::decision::Decision;
use crate::decision::PackedDecision;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use cost::Cost;
use std::time::Duration;

/// Stores the state of limits and decides about requests.
///
/// A store decides each request atomically, in the order of arrival, by its own clock. A refused request changes nothing, with
/// two exceptions: a call that waits for a permit leaves a ticket, unless it is part of a stack, and a limit with a
/// [block](Limit::block) blocks its callers.
/// A [`Reply`] borrows nothing, so implementations copy what they need from the requests before they return. A caller may drop
/// a reply at any time. The store may or may not decide the requests of a dropped reply. Other requests must not be affected.
///
/// The [`ErrorKind`] of an error determines whether the limiter applies its failure policy. A store needs no deadline,
/// because the limiter drops a reply that takes too long.
pub trait Store: Send + Sync + 'static {
    /// Decides requests, and charges the requests that pass, according to the mode. Returns one decision per request.
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions>;

    /// Whether [`decide_hash`](Self::decide_hash) decides. If so, calls of most limits need no key and no request.
    #[doc(hidden)]
    #[inline]
    fn decides_hashes(&self) -> bool {
        false
    }

    /// Decides a single request in mode `Check`, by the [hash](StoreKey::hash) of its key. The limit has no permits.
    #[doc(hidden)]
    fn decide_hash(&self, _limit: &Limit, _hash: u64, _cost: Cost) -> PackedDecision {
        PackedDecision::new(None, 0, 0)
    }

    /// Returns units, takes units, renews permits, and blocks or pauses keys. Returns a number for each adjustment, as
    /// described for [`Adjusted`].
    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted>;

    /// Deletes the state under these keys, so that nothing is in use and nobody is blocked. Units of earlier charges are not returned
    /// afterwards. Returns the number of keys that had a state.
    fn reset(&self, keys: &[StoreKey]) -> Reply<u64>;

    /// Returns whether a request can be sent without a new connection. A limiter sends background requests only if this returns
    /// `true`. Otherwise these requests would wait for an unavailable server.
    fn is_connected(&self) -> bool {
        true
    }

    /// Asks each server of the store whether it can decide now, for [`RateLimiter::status`](crate::RateLimiter::status).
    /// Returns one reply for each server. If no server is known, returns an error in place of the replies.
    ///
    /// No limit uses `key`. The default implementation takes a unit of a counter under this key, as a call does. A store with
    /// several servers overrides this method.
    fn probe(&self, key: &StoreKey) -> Reply<Vec<Reply<()>>> {
        let decided = self.decide(Mode::Check, &[&Request::new(key.clone(), PROBE, 1)]);
        Reply::ready(Ok(vec![decided.without_result()]))
    }

    /// Returns the overrides under a key, or `None` if their version is `seen`. A store that does not support overrides does
    /// not implement this method.
    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        let _ = (key, seen);
        Reply::ready(Ok(None))
    }

    /// Sets the override `entry` to the text `change`, which describes a change of a limit. Removes the override if `change` is
    /// `None`. In both cases, gives the overrides under the key a new version. After the time `expires`, by the store's clock,
    /// the override no longer exists.
    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        let _ = (key, entry, change, expires);
        Reply::ready(Err(Error::new(ErrorKind::Configuration, "this store does not support overrides")))
    }

    /// Makes all these changes of overrides in one step, each as [`save_override`](Self::save_override) makes it, and returns
    /// `true`. If the version of the overrides is not `seen`, changes nothing and returns `false`. Only tools need it.
    fn replace_overrides(&self, key: &StoreKey, seen: u64, changes: &[OverrideEntry]) -> Reply<bool> {
        let _ = (key, seen, changes);
        let message = "this store cannot change several overrides in one step";
        Reply::ready(Err(Error::new(ErrorKind::Configuration, message)))
    }

    /// Returns the limits that processes have saved under a key, each with its name and a text. A store that is used by one
    /// process only does not implement this method.
    fn load_limits(&self, key: &StoreKey) -> Reply<Vec<(Vec<u8>, String)>> {
        let _ = key;
        Reply::ready(Ok(Vec::new()))
    }

    /// Saves limits: sets the text of each name, and removes each name whose text is `None`. If nothing is saved under the key
    /// for the time `kept`, all limits under the key are deleted.
    fn save_limits(
        &self,
        key: &StoreKey,
        changed: &[(Vec<u8>, Option<String>)],
        kept: Duration,
    ) -> Reply<()> {
        let _ = (key, changed, kept);
        Reply::ready(Ok(()))
    }
}

/// The limit of a probe, and the placeholder in a request whose limit is not set yet. The state expires after 1 ms. Even a
/// refused probe shows that the store can decide.
pub(crate) const PROBE: Limit = Limit::counter(1, Duration::from_millis(1));

/// A change of one override: its entry, the new text (`None`: the override is removed), and the time until it expires (`None`:
/// never).
pub type OverrideEntry = (Vec<u8>, Option<String>, Option<Duration>);

/// The stored overrides of a prefix.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Overridden {
    /// The version, which differs after each change. It is 0 if there are no overrides.
    pub version: u64,
    /// The overrides. Each override has its entry, the change of a limit as text, and the time until the override expires
    /// (`None`: never).
    pub entries: Vec<(Vec<u8>, String, Option<Duration>)>,
}

opaque! {
    /// Prints only the version, because entries contain keys.
    Overridden, |this| version = this.version
}
