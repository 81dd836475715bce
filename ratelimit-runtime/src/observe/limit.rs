//! `LimitSeries`: the measurements of one limit. Without the feature `metrics`, its methods do nothing.

use super::metrics::{Measured, named};
use super::outcome::Outcome;
use smallvec::SmallVec;
use std::time::Duration;

/// The measurements of one limit, for all limiters of the process.
#[derive(Clone, Copy, Default)]
pub(crate) struct LimitSeries(Option<Measured>);

impl LimitSeries {
    /// The measurements of the limit with this name.
    #[inline]
    pub(crate) fn named(name: &str) -> Self {
        Self(named(name))
    }

    /// Counts a call that was allowed at once, as nearly all are.
    #[inline]
    pub(super) fn count_allowed(self, is_near: bool) {
        if let Some(limit) = self.0 {
            limit.count_allowed(is_near);
        }
    }

    /// Counts the outcome of a call. Notes the time that it waited, and whether it made the limit nearly used up.
    #[inline]
    pub(super) fn count(self, outcome: Outcome, is_near: bool, waited: Option<Duration>) {
        if let Some(limit) = self.0 {
            limit.count(outcome, is_near, waited);
        }
    }
}

/// Counts a call that waits, at each of its limits, until it is dropped.
#[derive(Default)]
pub(crate) struct Waiting(SmallVec<[Measured; 2]>);

impl Waiting {
    /// Begins the wait of a call for these limits.
    pub(crate) fn begin(limits: impl Iterator<Item = LimitSeries>) -> Self {
        let limits: SmallVec<[Measured; 2]> = limits.filter_map(|limit| limit.0).collect();
        limits.iter().for_each(|limit| limit.add_waiting(1));
        Self(limits)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.iter().for_each(|limit| limit.add_waiting(-1));
    }
}

/// Counts the units of a permit that is held, until it is dropped.
#[derive(Default)]
pub(crate) struct PermitsHeld(Option<(Measured, i64)>);

impl PermitsHeld {
    /// Counts a permit of this many units.
    pub(crate) fn hold(limit: LimitSeries, units: u32) -> Self {
        Self(
            limit
                .0
                .map(|limit| (limit, i64::from(units)))
                .inspect(|(limit, units)| limit.add_permits(*units)),
        )
    }
}

impl Drop for PermitsHeld {
    fn drop(&mut self) {
        if let Some((limit, units)) = self.0 {
            limit.add_permits(-units);
        }
    }
}
