//! What an application sees of its limits: hooks, metrics (feature `metrics`) and traces (feature `trace`).
//!
//! - A [`Hook`] hears of refusals and outages, for an audit log, a ban list or an alert.
//! - With the feature `metrics`, the limiters count and measure through the `metrics` facade. `METRICS` lists what they emit.
//! - With the feature `trace`, each decision is a `tracing` span.
//!
//! The guide explains them: `docs/observability.md`.

mod hook;
mod hooks;
mod identity_hash;
mod limit;
#[cfg(any(feature = "metrics", feature = "trace"))]
mod limits;
#[cfg(feature = "metrics")]
mod metrics;
mod outcome;
#[cfg(feature = "trace")]
mod refusals;
#[cfg(feature = "trace")]
mod span;
mod store;
mod watch;

pub use hook::{Hook, Refusal};
pub use identity_hash::IdentityHash;
#[cfg(feature = "metrics")]
pub use metrics::{Kind, METRICS, Metric};

pub(crate) use hooks::Hooks;
pub(crate) use limit::{LimitSeries, PermitsHeld, Waiting};
pub(crate) use store::{
    LeasedUnits, batch_sent, deny_cache_hit, evicted, session_unhealthy, store_failed, store_replied,
};
pub(crate) use watch::{Watch, exempt, shadow_undecided, undecided};
