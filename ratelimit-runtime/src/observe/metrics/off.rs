//! Replaces the measurements if the feature `metrics` is off. Nothing is measured.

use super::outcome::Outcome;
use std::time::Duration;

/// The measurements of one limit, which do nothing.
pub(crate) struct LimitMetrics;

#[allow(clippy::unused_self, reason = "the same signatures as with the feature")]
impl LimitMetrics {
    pub(crate) const fn named(_: &str) -> &'static Self {
        &Self
    }

    pub(crate) const fn count(&self, _: Outcome, _: bool, _: Option<Duration>) {}

    pub(super) const fn count_near_limit(&self) {}

    pub(super) const fn add_waiting(&self, _: i64) {}

    pub(super) const fn add_permits(&self, _: i64) {}

    pub(super) const fn count_lost_permits(&self, _: u64) {}
}
