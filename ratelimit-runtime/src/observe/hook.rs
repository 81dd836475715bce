//! `Hook`: application code that is called for refusals, for limits that are nearly used up, and for outages.

use super::{IdentityHash, NearLimit};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::macros::delegate;
use std::sync::Arc;
use std::time::Duration;

/// Application code that is called for refusals, for limits that are nearly used up, and for outages. Use it for an audit log,
/// a ban list, a mail or an alert.
///
/// Set it with [`RateLimiterBuilder::hook`](crate::RateLimiterBuilder::hook). All methods do nothing by default.
///
/// ```
/// use ratelimit::observe::{Hook, IdentityHash, Refusal};
/// use ratelimit::{Error, Key, Limit, RateLimiter};
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
/// use std::time::Duration;
///
/// /// Counts the refusals of each caller, and tells the operator of outages.
/// #[derive(Default)]
/// struct BanList(Mutex<HashMap<IdentityHash, u32>>);
///
/// impl Hook for BanList {
///     fn refused(&self, refusal: &Refusal) {
///         if let (Ok(mut refusals), Some(caller)) = (self.0.lock(), refusal.identity()) {
///             *refusals.entry(caller).or_default() += 1;
///         }
///     }
///
///     fn outage_began(&self, error: &Error) {
///         eprintln!("the store of the limits is unavailable: {error}");
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let list = Arc::new(BanList::default());
/// let builder = RateLimiter::builder().hook(Arc::clone(&list)).hash_secret("from the vault");
/// let limiter = builder.deadline(Duration::from_secs(1)).connect().await?;
/// let once = Limit::counter(1, Duration::from_secs(60));
/// limiter.check(&once, Key::new("login").by("user 7")).await?;
/// assert!(limiter.check(&once, Key::new("login").by("user 7")).await.is_err());
///
/// limiter.close().await; // returns when the hook has heard of everything
/// let caller = limiter.identity_hash(Key::new("login").by("user 7"))?.unwrap();
/// assert_eq!(list.0.lock().unwrap()[&caller], 1);
/// # Ok(()) }
/// ```
///
/// # Threads, order and panics
///
/// A decision puts an event into a queue of the limiter and goes on. A separate thread, `ratelimit-hook`, starts at the first
/// event and calls the methods one after another. So a method may block without delaying a decision:
///
/// - **Slow**: the queue has places for 4096 refusals, 4096 limits that are nearly used up, and 64 events of outages. Further
///   events are dropped. Before the next event, the thread reports their number to [`missed`](Self::missed). The metric
///   `ratelimit.hook.missed` counts them.
/// - **No runtime**: the thread belongs to no tokio runtime, so `tokio::spawn` panics in it. To spawn tasks, give the hook a
///   `tokio::runtime::Handle` when you make it, and call `handle.spawn(..)`.
/// - **Panic**: a panic ends only the current call of a method. The thread logs panics at most once a minute, and continues
///   with the next event. With `panic = "abort"` the process ends.
/// - **Order**: events are in the order in which the decisions became final. If threads decide at the same time, their events
///   may be in any order.
/// - **Cancellation**: an event cannot be taken back. If a call is dropped before its decision is final, it makes no event. If
///   it is dropped later, its event was already made.
/// - **Shutdown**: [`RateLimiter::close`](crate::RateLimiter::close) waits for the events in the queue and for the return of
///   permits, for at most five deadlines. If the process ends without `close`, the events in the queue are lost. The thread
///   ends when the limiter and its clones are dropped and the queue is empty.
pub trait Hook: Send + Sync + 'static {
    /// A limit refused a call, or a shadow limit would have refused it. If several limits refused the call, each of them makes
    /// an event. A call that could not be decided is not a refusal; see [`outage_began`](Self::outage_began).
    fn refused(&self, _refusal: &Refusal) {}

    /// A call has raised the use of a limit to at least the share that
    /// [`RateLimiterBuilder::near_limit`](crate::RateLimiterBuilder::near_limit) sets, by default 80 %. Before the call, less was
    /// in use. Units that `settle` or [`penalize`](crate::RateLimiter::penalize) take without a check make the event, too.
    ///
    /// The store decides calls one by one. So for each window and caller, exactly one call of all processes makes this event,
    /// in the process that made the call. The use of a limit may reach the share again, if its units come back continuously,
    /// are returned (`refund_if`, `settle`, permits), or leave a sliding window. Each time makes an event.
    ///
    /// With `lease`, the process that hands out the unit makes the event. A process that still has units from an earlier fetch
    /// may miss the event. Shadow limits and decisions of the failure policy make no event. A call that waits while nothing is
    /// free makes no event either, for example behind a pause. For such a call, the store does not report the use of the later
    /// window.
    fn near_limit(&self, _near: &NearLimit) {}

    /// The store became unavailable, or missed the deadline of a call. From now on, the failure policy of each limit decides.
    /// The error contains no key and no identity, but names the server.
    fn outage_began(&self, _error: &Error) {}

    /// The store decides again, and no call has failed for a second. `lasted` is the time since
    /// [`outage_began`](Self::outage_began).
    fn outage_ended(&self, _lasted: Duration) {}

    /// The hook missed this number of events since the last call of this method, because the queue was full.
    fn missed(&self, _events: u64) {}
}

// With an `Arc`, several owners can share a hook. For example, a handler can read the list that the hook writes.
delegate! {
    Hook for Arc<T> => {
        fn refused(&self, refusal: &Refusal);
        fn near_limit(&self, near: &NearLimit);
        fn outage_began(&self, error: &Error);
        fn outage_ended(&self, lasted: Duration);
        fn missed(&self, events: u64);
    }
}

/// The refusal of a call by one limit.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub(super) name: LimitName,
    pub(super) decision: Decision,
    pub(super) identity: Option<IdentityHash>,
    pub(super) is_shadow: bool,
    pub(super) is_local: bool,
}

impl Refusal {
    /// The name of the limit, as in [`Rejection::name`](crate::Rejection::name).
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The decision: the number of units left, and the time until the same call would pass.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The hash of the refused caller's identity. `None` if all callers share the limit.
    pub const fn identity(&self) -> Option<IdentityHash> {
        self.identity
    }

    /// Whether a shadow limit would have refused the call. The call ran.
    pub const fn is_shadow(&self) -> bool {
        self.is_shadow
    }

    /// Whether the memory of this process refused the call, because the store was unavailable.
    pub const fn is_local(&self) -> bool {
        self.is_local
    }
}
