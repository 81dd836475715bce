//! The one seam between deciding and remembering: a store takes a slice of requests and answers decisions.

pub(crate) mod memory;
pub(crate) mod redis;
mod reply;
mod request;

pub(crate) use reply::{Answer, Awaited, PendingReply};
pub use reply::{MissedDeadline, Reply};
pub use request::{Adjustment, Change, Mode, Request};
pub(crate) use request::{OwnedAdjustment, OwnedRequest, stacks};

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use smallvec::SmallVec;
use std::fmt;

/// One decision per request, in their order; `collect` makes it. One needs no heap.
pub type Decisions = SmallVec<[Decision; 1]>;

/// The units that each [`Adjustment`] has changed, in their order.
pub type Adjusted = SmallVec<[u32; 1]>;

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
    fn decide(&self, mode: Mode, requests: &[Request<'_>]) -> Reply<Decisions>;

    /// Gives back, takes and renews.
    fn adjust(&self, adjustments: &[Adjustment<'_>]) -> Reply<Adjusted>;

    /// Forgets what is in use under these keys.
    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()>;

    /// Whether a question can be asked without a new connection. What a limiter asks in the background waits until then,
    /// so that it does not find out for the calls that a server is away.
    fn is_connected(&self) -> bool {
        true
    }

    /// The overrides that are kept under a key, unless their version is the one that was seen. A store that keeps none
    /// has nothing to add here.
    fn load_overrides(&self, key: StoreKey<'_>, seen: u64) -> Reply<Option<Overridden>> {
        let _ = (key, seen);
        Reply::ready(Ok(None))
    }

    /// Sets the entry of one override, or removes it, and gives the whole a new version.
    fn save_override(&self, key: StoreKey<'_>, entry: &[u8], limit: Option<&str>) -> Reply<()> {
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
