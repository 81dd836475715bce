//! `Shared`: what the clones of a limiter share. Each room of the limiter has a part of its own, and its fields are private to
//! that room.

use crate::key::KeySettings;
use crate::limiter::lease::Leases;
use crate::limiter::overrides::Snapshot;
use crate::limiter::permits::Permits;
use crate::limiter::status::Probes;
use crate::limiter::store_call::StoreCalls;
use crate::observe::Observers;
use crate::proxies::Proxies;
use crate::tasks::Tasks;

/// The part of a limiter that its clones share. The builder makes it.
pub(super) struct Shared {
    /// The number of this limiter in the process.
    pub(super) id: u64,
    pub(super) keys: KeySettings,
    pub(super) service_version: Option<Box<str>>,
    pub(super) proxies: Proxies,
    /// Whether every call passes undecided.
    pub(super) off: bool,
    pub(super) store: StoreCalls,
    pub(super) overrides: Snapshot,
    pub(super) permits: Permits,
    pub(super) leases: Leases,
    pub(super) probes: Probes,
    pub(super) tasks: Tasks,
    pub(super) observers: Observers,
}
