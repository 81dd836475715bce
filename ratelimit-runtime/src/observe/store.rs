//! Measurements of the stores, which belong to no single limit. Without the feature `metrics`, the functions do nothing.

#[cfg(feature = "metrics")]
use super::metrics::store as series;
use crate::error::{Error, ErrorKind};
use std::sync::Once;
use tokio::time::Instant;

/// Counts a refusal by the deny cache, which the store was not asked for.
#[inline]
pub(crate) fn deny_cache_hit() {
    #[cfg(feature = "metrics")]
    series::deny_cache_hit();
}

/// Measures a call that had to wait for the decision of the store since `sent`.
#[inline]
pub(crate) fn store_replied(sent: Instant) {
    #[cfg(feature = "metrics")]
    series::store_replied(sent.elapsed());
    #[cfg(not(feature = "metrics"))]
    let _ = sent;
}

/// Counts a call that the store could not decide.
#[inline]
pub(crate) fn store_failed(error: &Error) {
    #[cfg(feature = "metrics")]
    series::store_failed(kind(error));
    #[cfg(not(feature = "metrics"))]
    let _ = kind(error);
}

/// The value of the label `error.type`.
const fn kind(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Timeout => "timeout",
        ErrorKind::Configuration => "configuration",
        ErrorKind::Limit => "limit",
        ErrorKind::NoIdentity => "no_identity",
    }
}

/// Measures a script call that decides about this many calls.
#[inline]
pub(crate) fn batch_sent(requests: usize) {
    #[cfg(feature = "metrics")]
    series::batch_sent(requests);
    #[cfg(not(feature = "metrics"))]
    let _ = requests;
}

/// Notes that a session finds its server unhealthy, or no longer does: its circuit breaker opens or closes.
pub(crate) fn session_unhealthy(unhealthy: bool) {
    #[cfg(feature = "metrics")]
    series::session_unhealthy(unhealthy);
    #[cfg(not(feature = "metrics"))]
    let _ = unhealthy;
}

/// Counts keys that a full memory store evicted before their end. The first ones of the process are a warning.
pub(crate) fn evicted(keys: u64) {
    static FIRST: Once = Once::new();
    FIRST.call_once(|| {
        tracing::warn!(
            "a memory store is full and forgets keys before their end, so their limits start again: allow it more with `with_max_keys`, or limit fewer keys"
        );
    });
    #[cfg(feature = "metrics")]
    series::evicted(keys);
    #[cfg(not(feature = "metrics"))]
    let _ = keys;
}

/// Counts an event that a hook does not hear of.
pub(super) fn hook_missed() {
    #[cfg(feature = "metrics")]
    series::hook_missed();
}

/// The unused leased units of one limiter, as last measured. Dropping it takes them out of the sum.
#[derive(Default)]
pub(crate) struct LeasedUnitsGauge {
    #[cfg(feature = "metrics")]
    last: std::sync::atomic::AtomicI64,
}

#[cfg_attr(not(feature = "metrics"), expect(clippy::unused_self, reason = "the interface of the feature"))]
impl LeasedUnitsGauge {
    /// Notes how many units the limiter has now. They are computed only if somebody measures them.
    pub(crate) fn set(&self, units: impl FnOnce() -> u64) {
        #[cfg(feature = "metrics")]
        {
            let units = i64::try_from(units()).unwrap_or(i64::MAX);
            let last = self.last.swap(units, std::sync::atomic::Ordering::Relaxed);
            series::add_leased_units(units - last);
        }
        #[cfg(not(feature = "metrics"))]
        drop(units);
    }
}

#[cfg(feature = "metrics")]
impl Drop for LeasedUnitsGauge {
    fn drop(&mut self) {
        self.set(|| 0);
    }
}
