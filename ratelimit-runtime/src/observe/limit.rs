//! `LimitSeries`: the measurements of one limit. Without the feature `metrics`, its methods do nothing.

use super::outcome::Outcome;
use crate::decision::Decision;
use std::time::Duration;

#[cfg(feature = "metrics")]
use super::metrics::LimitMetrics;
#[cfg(feature = "metrics")]
use super::registry;

/// The measurements of one limit, for all limiters of the process.
#[derive(Clone, Copy, Default)]
pub(crate) struct LimitSeries {
    #[cfg(feature = "metrics")]
    metrics: Option<&'static LimitMetrics>,
}

#[cfg_attr(not(feature = "metrics"), expect(clippy::unused_self, reason = "the interface of the feature"))]
impl LimitSeries {
    /// The measurements of the limit with this name.
    #[inline]
    pub(crate) fn named(name: &str) -> Self {
        #[cfg(feature = "metrics")]
        return Self { metrics: Some(&registry::named(name).metrics) };
        #[cfg(not(feature = "metrics"))]
        {
            let _ = name;
            Self {}
        }
    }

    /// Counts a call that was allowed at once, as nearly all are.
    #[inline]
    pub(super) fn count_allowed(self, decision: &Decision) {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = self.metrics {
            metrics.count_allowed(decision);
        }
        #[cfg(not(feature = "metrics"))]
        let _ = decision;
    }

    /// Counts the outcome of a call. Notes the time that it waited, and whether the limit is nearly used up.
    #[inline]
    pub(super) fn count(self, outcome: Outcome, decision: Option<&Decision>, waited: Option<Duration>) {
        #[cfg(feature = "metrics")]
        if let Some(metrics) = self.metrics {
            metrics.count(outcome, decision, waited);
        }
        #[cfg(not(feature = "metrics"))]
        let _ = (outcome, decision, waited);
    }
}

/// Counts a call that waits, at each of its limits, until it is dropped.
#[derive(Default)]
pub(crate) struct Waiting {
    #[cfg(feature = "metrics")]
    limits: smallvec::SmallVec<[&'static LimitMetrics; 2]>,
}

impl Waiting {
    /// Begins the wait of a call for these limits.
    pub(crate) fn begin(limits: impl Iterator<Item = LimitSeries>) -> Self {
        #[cfg(feature = "metrics")]
        {
            let limits: smallvec::SmallVec<[_; 2]> = limits.filter_map(|limit| limit.metrics).collect();
            limits.iter().for_each(|limit| limit.add_waiting(1));
            Self { limits }
        }
        #[cfg(not(feature = "metrics"))]
        {
            drop(limits);
            Self {}
        }
    }
}

#[cfg(feature = "metrics")]
impl Drop for Waiting {
    fn drop(&mut self) {
        self.limits.iter().for_each(|limit| limit.add_waiting(-1));
    }
}

/// Counts the units of a permit that is held, until it is dropped.
#[derive(Default)]
pub(crate) struct PermitsHeld {
    #[cfg(feature = "metrics")]
    held: Option<(&'static LimitMetrics, i64)>,
}

impl PermitsHeld {
    /// Counts a permit of this many units.
    pub(crate) fn hold(limit: LimitSeries, units: u32) -> Self {
        #[cfg(feature = "metrics")]
        {
            let held = limit.metrics.map(|metrics| (metrics, i64::from(units)));
            held.inspect(|(metrics, units)| metrics.add_permits(*units));
            Self { held }
        }
        #[cfg(not(feature = "metrics"))]
        {
            let _ = (limit, units);
            Self {}
        }
    }
}

#[cfg(feature = "metrics")]
impl Drop for PermitsHeld {
    fn drop(&mut self) {
        if let Some((metrics, units)) = self.held {
            metrics.add_permits(-units);
        }
    }
}
