//! `LimitMetrics`: the measurements of one limit.

use super::super::outcome::Outcome;
use super::super::registry;
use super::handle::{Handle, Level};
use super::table::{DECISIONS, NEAR_LIMIT, PERMITS, PERMITS_LOST, WAIT_DURATION, WAITING};
use metrics::{Counter, Histogram, SharedString};
use std::time::Duration;

/// The measurements of one limit, for all limiters of the process. A series appears with its first value.
pub(crate) struct LimitMetrics {
    name: SharedString,
    outcomes: [Handle<Counter>; Outcome::COUNT],
    near_limit: Handle<Counter>,
    wait_duration: Handle<Histogram>,
    waiting: Level,
    permits: Level,
    permits_lost: Handle<Counter>,
}

impl LimitMetrics {
    pub(in super::super) fn new(name: &str) -> Self {
        Self {
            name: SharedString::from_owned(name.to_owned()),
            outcomes: [const { Handle::new() }; Outcome::COUNT],
            near_limit: Handle::new(),
            wait_duration: Handle::new(),
            waiting: Level::new(),
            permits: Level::new(),
            permits_lost: Handle::new(),
        }
    }

    /// The measurements of the limit with this name.
    #[inline]
    pub(crate) fn named(name: &str) -> &'static Self {
        &registry::named(name).metrics
    }

    #[inline(never)]
    pub(in super::super) fn count_near_limit(&self) {
        if let Some(near) = self.near_limit.get(&NEAR_LIMIT, || [self.name.clone()]) {
            near.increment(1);
        }
    }

    /// Counts the outcome of a call. Also records how long the call waited, and counts the call if it made the limit nearly
    /// used up. Inlined for calls that were allowed at once, because nearly all calls are.
    #[inline]
    pub(crate) fn count(&self, outcome: Outcome, is_near: bool, waited: Option<Duration>) {
        let counter = &self.outcomes[outcome as usize];
        if let Some(counter) = counter.get(&DECISIONS, || [self.name.clone(), outcome.label().into()]) {
            counter.increment(1);
        }
        if is_near {
            self.count_near_limit();
        }
        if outcome == Outcome::Waited
            && let Some(waited) = waited
            && let Some(duration) = self.wait_duration.get(&WAIT_DURATION, || [self.name.clone()])
        {
            duration.record(waited);
        }
    }

    pub(in super::super) fn add_waiting(&self, calls: i64) {
        self.waiting.add(calls, self.waiting.gauge.get(&WAITING, || [self.name.clone()]));
    }

    pub(in super::super) fn count_lost_permits(&self, permits: u64) {
        if let Some(lost) = self.permits_lost.get(&PERMITS_LOST, || [self.name.clone()]) {
            lost.increment(permits);
        }
    }

    pub(in super::super) fn add_permits(&self, units: i64) {
        self.permits.add(units, self.permits.gauge.get(&PERMITS, || [self.name.clone()]));
    }
}
