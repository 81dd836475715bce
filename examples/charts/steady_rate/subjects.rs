//! The limits to measure: every algorithm, with numbers that admit 500 calls per second.

use crate::RATE;
use ratelimit::{Algorithm, Limit, Refill};
use std::time::Duration;

/// The reason why concurrency is not measured.
pub(crate) const WHY_NOT_CONCURRENCY: &str =
    "concurrency bounds how many calls run at once, not how many start per second: it has no rate to hold";

const SECOND: Duration = Duration::from_secs(1);

/// The burst is small compared with the rate, so that it ends soon. It is large enough that the bucket does not become
/// full while no worker calls, so no tokens are lost.
const BURST: u32 = 50;

/// One limit to measure.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) limit: Limit,
    /// The difference from the plain algorithm.
    pub(crate) variant: &'static str,
}

impl Subject {
    pub(crate) fn name(&self) -> String {
        let algorithm = self.limit.algorithm().as_str();
        if self.variant.is_empty() { algorithm.to_owned() } else { format!("{algorithm}, {}", self.variant) }
    }
}

const ALL: [Subject; 7] = [
    Subject { limit: Limit::counter(RATE, SECOND), variant: "" },
    Subject { limit: Limit::sliding_window(RATE, SECOND), variant: "" },
    Subject { limit: Limit::sliding_log(RATE, SECOND), variant: "" },
    Subject { limit: Limit::token_bucket(RATE, SECOND).burst(BURST), variant: "burst 50" },
    Subject { limit: Limit::token_bucket(RATE, SECOND).refill(Refill::Interval), variant: "interval" },
    Subject { limit: Limit::leaky_bucket(RATE, SECOND).burst(BURST), variant: "burst 50" },
    Subject { limit: Limit::leaky_bucket(RATE, SECOND).wait(SECOND), variant: "wait 1 s" },
];

/// Returns the limits of one algorithm, or all limits.
pub(crate) fn named(only: Option<Algorithm>) -> Vec<Subject> {
    let mut subjects = ALL.to_vec();
    subjects.retain(|subject| only.is_none_or(|only| only == subject.limit.algorithm()));
    subjects
}
