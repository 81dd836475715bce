//! Shows an application its limits: hooks, metrics (feature `metrics`) and traces (feature `trace`).
//!
//! - A [`Hook`] is called for refusals, for limits that are nearly used up and for outages. Use it for an audit log, a ban
//!   list, a mail or an alert.
//! - With the feature `metrics`, the limiters count and measure through the `metrics` facade. `METRICS` lists all metrics.
//! - With the feature `trace`, each decision is a `tracing` span.
//!
//! The guide explains all three: `docs/observability.md`.

mod hook;
mod hooks;
mod identity_hash;
mod limit;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(not(feature = "metrics"))]
#[path = "metrics/off.rs"]
mod metrics;
mod near_limit;
mod outcome;
pub(crate) mod registry;
pub(crate) mod report;
#[cfg(feature = "trace")]
mod span;
mod store;
mod throttle;
mod watch;

pub use hook::{Hook, Refusal};
pub use identity_hash::IdentityHash;
#[cfg(feature = "metrics")]
pub use metrics::{Kind, METRICS, Metric};
pub use near_limit::NearLimit;

pub(crate) use hooks::{Event, Hooks};
pub(crate) use limit::{PermitsHeld, Waiting};
pub(crate) use metrics::LimitMetrics;
pub(crate) use near_limit::{DEFAULT_SHARE, share};
pub(crate) use outcome::Outcome;
pub(crate) use store::{
    LeasedUnitsGauge, batch_sent, deny_cache_hit, evicted, session_unhealthy, store_failed, store_replied,
};
pub(crate) use throttle::Throttle;
pub(crate) use watch::{Final, Watch, unasked};
