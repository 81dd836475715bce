//! Compares the limit in force with a candidate, caller by caller.

use super::engine::{CallerCounts, Outcome};
use super::hash::IdentityHash;
use super::traffic::{Caller, name};
use ratelimit::Limit;
use serde::Serialize;
use std::cmp::Reverse;

/// The maximum number of callers that a report names.
const NAMED: usize = 10;

/// A caller that the candidate refuses more often. The JSON has the same fields.
#[derive(Debug, Serialize)]
pub(crate) struct Hit {
    pub(crate) caller: String,
    offered: u32,
    refused_in_force: u32,
    refused_by_candidate: u32,
}

/// The comparison. The JSON has the same fields.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    callers: usize,
    callers_refused_in_force: u64,
    callers_refused_by_candidate: u64,
    /// The number of callers that only the candidate refuses.
    callers_newly_refused: usize,
    /// The number of callers for which the candidate refuses more calls than the limit in force.
    callers_with_more_refused_calls: usize,
    calls: u64,
    calls_refused_in_force: u64,
    calls_refused_by_candidate: u64,
    callers_are_hashed: bool,
    /// The callers with the most additional refusals, at most ten.
    pub(crate) hardest_hit: Vec<Hit>,
}

impl Comparison {
    /// Compares two outcomes of the same traffic. Callers are shown by their hash, or by their names if `hash` is `None`.
    pub(crate) fn of(now: &Outcome, then: &Outcome, callers: &[Caller], hash: Option<&IdentityHash>) -> Self {
        let both = || callers.iter().zip(&now.callers).zip(&then.callers);
        let pairs = || both().map(|((caller, now), then)| (caller, now, then));
        let newly = pairs().filter(|(_, now, then)| now.refused == 0 && then.refused > 0).count();
        let mut hit: Vec<(&Caller, &CallerCounts, &CallerCounts)> =
            pairs().filter(|(_, now, then)| then.refused > now.refused).collect();
        // The sort is stable, so equal callers stay in the order of their first calls.
        hit.sort_by_key(|(_, now, then)| Reverse(then.refused - now.refused));
        let hardest_hit = hit.iter().take(NAMED).map(|(caller, now, then)| Hit {
            caller: name(caller, hash),
            offered: now.offered,
            refused_in_force: now.refused,
            refused_by_candidate: then.refused,
        });
        Self {
            callers: callers.len(),
            callers_refused_in_force: now.callers_refused,
            callers_refused_by_candidate: then.callers_refused,
            callers_newly_refused: newly,
            callers_with_more_refused_calls: hit.len(),
            calls: now.offered,
            calls_refused_in_force: now.refused,
            calls_refused_by_candidate: then.refused,
            callers_are_hashed: hash.is_some(),
            hardest_hit: hardest_hit.collect(),
        }
    }

    /// The answer in words, about callers and about calls.
    pub(crate) fn answer(&self, now: &Limit, then: &Limit) -> String {
        format!(
            "With `{then}` instead of `{now}`, {} of {} callers would have been refused, instead of {}; {} of them by the candidate alone. {} of {} calls would have been refused, instead of {}.",
            self.callers_refused_by_candidate,
            self.callers,
            self.callers_refused_in_force,
            self.callers_newly_refused,
            self.calls_refused_by_candidate,
            self.calls,
            self.calls_refused_in_force
        )
    }

    /// The heading above the callers that are hit hardest.
    pub(crate) fn heading(&self) -> String {
        let (named, all) = (self.hardest_hit.len(), self.callers_with_more_refused_calls);
        let hashed = if self.callers_are_hashed { " (hashed)" } else { "" };
        format!("Callers with more refused calls, the hardest hit first: {named} of {all}{hashed}")
    }
}

impl Hit {
    /// The titles of [`cells`](Self::cells).
    pub(crate) const COLUMNS: [&str; 4] = ["offered", "refused by A", "refused by B", "more"];

    pub(crate) fn cells(&self) -> [String; 4] {
        let more = self.refused_by_candidate - self.refused_in_force;
        [self.offered, self.refused_in_force, self.refused_by_candidate, more].map(|cell| cell.to_string())
    }
}
