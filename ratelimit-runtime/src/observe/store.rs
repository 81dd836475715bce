//! Measurements of the stores. They belong to no single limit. Without the feature `metrics`, the functions do nothing.

#[cfg(feature = "metrics")]
use super::metrics::{Handle, Level, table};
use crate::error::{Error, ErrorKind};
use std::sync::Once;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::time::Instant;

/// Changes the counter or histogram of a metric in the table. `$label` is the value of the metric's label, if it has one.
macro_rules! measure {
    ($metric:ident $(of $label:literal)?, $instrument:ident.$change:ident($value:expr)) => {{
        #[cfg(feature = "metrics")]
        {
            static HANDLE: Handle<::metrics::$instrument> = Handle::new();
            if let Some(instrument) = HANDLE.get(&table::$metric, || [$($label.into())?]) {
                instrument.$change($value);
            }
        }
        #[cfg(not(feature = "metrics"))]
        let _ = || $value;
    }};
}

/// Adds a number to the gauge of a metric in the table.
macro_rules! add {
    ($metric:ident, $change:expr) => {
        #[cfg(feature = "metrics")]
        {
            static LEVEL: Level = Level::new();
            LEVEL.add($change, LEVEL.gauge.get(&table::$metric, || []));
        }
        #[cfg(not(feature = "metrics"))]
        let _ = || $change;
    };
}

/// Counts a refusal that came from the deny cache instead of the store.
#[inline]
pub(crate) fn deny_cache_hit() {
    measure!(DENY_CACHE_HITS, Counter.increment(1));
}

/// Measures the time since `sent`, in which a call waited for the decision of the store.
#[inline]
pub(crate) fn store_replied(sent: Instant) {
    measure!(DECISION_DURATION, Histogram.record(sent.elapsed()));
}

/// Counts a call that the store could not decide.
pub(crate) fn store_failed(error: &Error) {
    match error.kind() {
        ErrorKind::Unavailable => measure!(STORE_ERRORS of "unavailable", Counter.increment(1)),
        ErrorKind::Timeout => measure!(STORE_ERRORS of "timeout", Counter.increment(1)),
        ErrorKind::Configuration => measure!(STORE_ERRORS of "configuration", Counter.increment(1)),
        ErrorKind::Limit => measure!(STORE_ERRORS of "limit", Counter.increment(1)),
        ErrorKind::NoIdentity => measure!(STORE_ERRORS of "no_identity", Counter.increment(1)),
    }
}

/// Measures a script call that decides `requests` requests.
#[inline]
pub(crate) fn batch_sent(requests: usize) {
    measure!(BATCH_SIZE, Histogram.record(f64::from(u32::try_from(requests).unwrap_or(u32::MAX))));
}

/// Counts a session's circuit breaker when it opens (`true`) or closes (`false`).
pub(crate) fn session_unhealthy(unhealthy: bool) {
    add!(BREAKER_OPEN, if unhealthy { 1 } else { -1 });
}

/// Counts keys that a full memory store evicted before their end. The first eviction in the process is logged as a warning.
pub(crate) fn evicted(keys: u64) {
    static FIRST: Once = Once::new();
    FIRST.call_once(|| {
        tracing::warn!(
            "a memory store is full and forgets keys before their end, so their limits start again: allow it more with `with_max_keys`, or limit fewer keys"
        );
    });
    measure!(MEMORY_EVICTIONS, Counter.increment(keys));
}

/// Counts an event that was dropped before the hook was called for it.
pub(super) fn hook_missed() {
    measure!(HOOK_MISSED, Counter.increment(1));
}

/// The unused leased units of one limiter, as last measured. Dropping this value subtracts them from the gauge.
#[derive(Default)]
pub(crate) struct LeasedUnitsGauge {
    last: AtomicI64,
}

impl LeasedUnitsGauge {
    /// Sets the number of unused units. It is computed only with the feature `metrics`.
    pub(crate) fn set(&self, units: impl FnOnce() -> u64) {
        if cfg!(feature = "metrics") {
            let units = i64::try_from(units()).unwrap_or(i64::MAX);
            let last = self.last.swap(units, Ordering::Relaxed);
            add!(LEASE_UNUSED, units - last);
        }
    }
}

impl Drop for LeasedUnitsGauge {
    fn drop(&mut self) {
        self.set(|| 0);
    }
}
