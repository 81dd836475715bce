//! Types for authors of a store. Applications do not need them.
//!
//! A [`Store`] keeps the state of limits. It takes a slice of [`Request`]s and returns a [`Decision`] about each. Pass your own
//! store to [`RateLimiterBuilder::store`](crate::RateLimiterBuilder::store). This one delegates to another store, and counts how
//! often it was asked:
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
//!     asked: Arc<AtomicU64>,
//! }
//!
//! impl Store for Counting {
//!     fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
//!         self.asked.fetch_add(1, Ordering::Relaxed);
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
//! let asked = Arc::clone(&store.asked);
//! let limiter = RateLimiter::builder().store(store).build().await?;
//! limiter.check(&DAILY, "mails").await?;
//! assert_eq!(asked.load(Ordering::Relaxed), 1);
//! # Ok(()) }
//! ```

mod answers;
pub(crate) mod memory;
pub(crate) mod redis;
mod reply;
mod request;

pub use crate::key::StoreKey;
pub use answers::{Adjusted, Decisions};
pub(crate) use reply::{Answer, Awaited, PendingReply};
pub use reply::{MissedDeadline, Reply};
pub(crate) use request::stacks;
pub use request::{Adjustment, Change, Mode, Request};

#[cfg(doc)]
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use std::fmt;

/// Where the state of limits lives.
///
/// A store decides in the order in which requests arrive, each atomically, with one clock of its own. A refused
/// request changes nothing (but for the ticket of one that waits for a permit). Implementations take what they need
/// from the requests before they return, so that the [`Reply`] borrows nothing and a caller may drop it at any time:
/// then the requests may have been decided or not, and nothing else is affected.
///
/// Errors say by their [`ErrorKind`] whether the failure policy of the limiter may apply. A store needs no deadline
/// of its own: the limiter drops a reply that takes too long.
pub trait Store: Send + Sync + 'static {
    /// Decides requests, and charges those that pass, as the mode says.
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions>;

    /// Gives back, takes and renews.
    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted>;

    /// Deletes the state under these keys. Returns how many of them had a state.
    fn reset(&self, keys: &[StoreKey]) -> Reply<u64>;

    /// Whether a question can be asked without a new connection. What a limiter asks in the background waits until then,
    /// so that it does not find out for the calls that a server is away.
    fn is_connected(&self) -> bool {
        true
    }

    /// The overrides that are kept under a key, unless their version is the one that was seen. A store that keeps none
    /// has nothing to add here.
    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        let _ = (key, seen);
        Reply::ready(Ok(None))
    }

    /// Sets the entry of one override, or removes it, and gives the whole a new version.
    fn save_override(&self, key: &StoreKey, entry: &[u8], limit: Option<&str>) -> Reply<()> {
        let _ = (key, entry, limit);
        Reply::ready(Err(Error::new(ErrorKind::Configuration, "this store keeps no overrides")))
    }
}

/// The overrides of a prefix, as a store keeps them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Overridden {
    /// Another one for each change; 0 where there are none.
    pub version: u64,
    /// Entries, and their limits as text.
    pub entries: Vec<(Vec<u8>, String)>,
}

impl fmt::Debug for Overridden {
    /// Prints no entries, because they hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overridden").field("version", &self.version).finish_non_exhaustive()
    }
}
