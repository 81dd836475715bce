//! Guards that count a waiting call or a permit until they are dropped. Without the feature `metrics`, they do nothing.

use super::LimitMetrics;
use smallvec::SmallVec;

/// Counts a waiting call at each of its limits, until the guard is dropped.
pub(crate) struct Waiting(SmallVec<[&'static LimitMetrics; 2]>);

impl Waiting {
    /// Begins the wait of a call for these limits.
    pub(crate) fn begin(limits: impl Iterator<Item = &'static LimitMetrics>) -> Self {
        let limits: SmallVec<[&'static LimitMetrics; 2]> = limits.collect();
        limits.iter().for_each(|limit| limit.add_waiting(1));
        Self(limits)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.iter().for_each(|limit| limit.add_waiting(-1));
    }
}

/// Counts the units of a permit, until the guard is dropped.
#[derive(Default)]
pub(crate) struct PermitsHeld(Option<(&'static LimitMetrics, i64)>);

impl PermitsHeld {
    /// Counts a permit of `units` units.
    pub(crate) fn hold(limit: &'static LimitMetrics, units: u32) -> Self {
        let units = i64::from(units);
        limit.add_permits(units);
        Self(Some((limit, units)))
    }
}

impl Drop for PermitsHeld {
    fn drop(&mut self) {
        if let Some((limit, units)) = self.0 {
            limit.add_permits(-units);
        }
    }
}
