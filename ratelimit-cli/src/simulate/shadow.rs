//! What if: compares the limit in force with a candidate, caller by caller.

use super::engine::CallerCounts;
use super::hash::IdentityHash;
use super::report::Trial;
use super::traffic::Callers;

/// The most callers that a report names.
const NAMED: usize = 10;

/// A caller that the candidate refuses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) name: String,
    pub(crate) offered: u32,
    pub(crate) refused_now: u32,
    pub(crate) refused_then: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) callers: u64,
    /// Callers with refused calls: by the limit in force, and by the candidate.
    pub(crate) refused_now: u64,
    pub(crate) refused_then: u64,
    /// Callers that only the candidate refuses.
    pub(crate) newly_refused: u64,
    /// Refused calls.
    pub(crate) calls_now: u64,
    pub(crate) calls_then: u64,
    /// The callers with the most additional refusals, at most ten.
    pub(crate) hardest_hit: Vec<Hit>,
}

impl Comparison {
    /// Compares two trials of the same traffic. `hash` names the callers; without one they have their own names.
    pub(crate) fn of(now: &Trial, then: &Trial, callers: &Callers, hash: Option<&IdentityHash>) -> Self {
        let (now, then) = (&now.outcome, &then.outcome);
        let pairs: Vec<(u32, CallerCounts, CallerCounts)> =
            (0..).zip(&now.callers).zip(&then.callers).map(|((at, now), then)| (at, *now, *then)).collect();
        let newly = pairs.iter().filter(|(_, now, then)| now.refused == 0 && then.refused > 0).count();
        let mut hit: Vec<_> = pairs.iter().filter(|(_, now, then)| then.refused > now.refused).collect();
        // A stable sort: of equal callers the one that called first is named first.
        hit.sort_by_key(|(_, now, then)| std::cmp::Reverse(then.refused - now.refused));
        let hardest_hit = hit.into_iter().take(NAMED).map(|(at, now, then)| Hit {
            name: callers.name(*at, hash),
            offered: now.offered,
            refused_now: now.refused,
            refused_then: then.refused,
        });
        Self {
            callers: callers.count(),
            refused_now: now.callers_refused,
            refused_then: then.callers_refused,
            newly_refused: super::numbers::count(newly),
            calls_now: now.refused,
            calls_then: then.refused,
            hardest_hit: hardest_hit.collect(),
        }
    }

    /// The answer in three sentences.
    pub(crate) fn answer(&self, now: &Trial, then: &Trial) -> String {
        let Self { callers, refused_now, refused_then, newly_refused, calls_now, calls_then, .. } = self;
        format!(
            "With {} instead of {}, {refused_then} of {callers} callers would have been refused, instead of {refused_now}. {newly_refused} of them have no refused call with the limit in force. The refused calls are {calls_then} instead of {calls_now}.",
            then.limit, now.limit
        )
    }
}
