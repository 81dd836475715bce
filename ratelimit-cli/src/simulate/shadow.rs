//! What if: compares the limit in force with a candidate, caller by caller.

use super::engine::CallerCounts;
use super::hash::IdentityHash;
use super::report::Trial;
use super::time::{self, DAY, HOUR, MINUTE, SECOND};
use super::traffic::Callers;
use ratelimit::{Algorithm, Limit};

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
    /// Callers of which the candidate refuses more calls than the limit in force.
    pub(crate) hit: u64,
    /// All calls, and the refused ones.
    pub(crate) calls: u64,
    pub(crate) calls_now: u64,
    pub(crate) calls_then: u64,
    /// The callers with the most additional refusals, at most ten.
    pub(crate) hardest_hit: Vec<Hit>,
    /// Whether the callers are named by hashes.
    pub(crate) is_hashed: bool,
}

impl Comparison {
    /// Compares two trials of the same traffic. `hash` names the callers; without one they have their own names.
    pub(crate) fn of(now: &Trial, then: &Trial, callers: &Callers, hash: Option<&IdentityHash>) -> Self {
        let (now, then) = (&now.outcome, &then.outcome);
        let pairs: Vec<(u32, CallerCounts, CallerCounts)> =
            (0..).zip(&now.callers).zip(&then.callers).map(|((at, now), then)| (at, *now, *then)).collect();
        let newly = pairs.iter().filter(|(_, now, then)| now.refused == 0 && then.refused > 0).count();
        let mut hit: Vec<_> = pairs.iter().filter(|(_, now, then)| then.refused > now.refused).collect();
        let number_hit = super::numbers::count(hit.len());
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
            hit: number_hit,
            calls: now.offered,
            calls_now: now.refused,
            calls_then: then.refused,
            hardest_hit: hardest_hit.collect(),
            is_hashed: hash.is_some(),
        }
    }

    /// The answer in three sentences: callers, callers that are new to refusals, and calls.
    pub(crate) fn answer(&self, now: &Trial, then: &Trial) -> String {
        let Self { callers, refused_now, refused_then, newly_refused, calls, calls_now, calls_then, .. } =
            self;
        let (with, instead_of) = difference(&then.limit, &now.limit);
        let refused = if *refused_then == 0 { "none".to_owned() } else { refused_then.to_string() };
        let newly = match newly_refused {
            0 => "None of them is refused by the candidate alone.".to_owned(),
            1 => "1 caller is refused by the candidate alone.".to_owned(),
            some => format!("{some} callers are refused by the candidate alone."),
        };
        let newly = if *refused_then == 0 { String::new() } else { format!(" {newly}") };
        format!(
            "With {with} instead of {instead_of}, {refused} of {callers} callers would have been refused, instead of {refused_now}.{newly} {calls_then} of {calls} calls would have been refused, instead of {calls_now}."
        )
    }

    /// The heading of the callers that are hit hardest.
    pub(crate) fn heading(&self) -> String {
        let named = self.hardest_hit.len();
        let hashed = if self.is_hashed { " (hashed)" } else { "" };
        match (named, super::numbers::count(named) < self.hit) {
            (1, _) => format!("The caller with more refused calls{hashed}"),
            (_, false) => {
                format!("The {named} callers with more refused calls, the hardest hit first{hashed}")
            }
            (_, true) => {
                format!("The {named} hardest hit of {} callers with more refused calls{hashed}", self.hit)
            }
        }
    }

    /// The columns of [`Hit::cells`].
    pub(crate) const COLUMNS: [&str; 5] = ["caller", "offered", "refused by A", "refused by B", "more"];
}

impl Hit {
    /// The numbers below [`Comparison::COLUMNS`].
    pub(crate) fn cells(&self) -> [String; 4] {
        [self.offered, self.refused_now, self.refused_then, self.refused_then - self.refused_now]
            .map(|number| number.to_string())
    }
}

/// Two limits as words of one sentence: `50 per minute` and `100` if only the count is another, else the whole limits.
fn difference(then: &Limit, now: &Limit) -> (String, String) {
    let rest = |limit: &Limit| {
        let text = limit.to_string();
        text.split(' ').filter(|word| !word.starts_with("count=")).map(str::to_owned).collect::<Vec<_>>()
    };
    if rest(then) != rest(now) || then == now {
        return (format!("`{then}`"), format!("`{now}`"));
    }
    (format!("{} {}", then.count(), per(then)), now.count().to_string())
}

/// The time in which the count of a limit is admitted.
fn per(limit: &Limit) -> String {
    if limit.algorithm() == Algorithm::Concurrency {
        return "at once".to_owned();
    }
    match time::micros(limit.time()) {
        SECOND => "per second".to_owned(),
        MINUTE => "per minute".to_owned(),
        HOUR => "per hour".to_owned(),
        DAY => "per day".to_owned(),
        time => format!("per {}", time::show(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_compared_in_few_words() {
        for (then, now, expected) in [
            ("counter count=50 time=1m", "counter count=100 time=1m", ("50 per minute", "100")),
            ("counter count=5 time=15m", "counter count=9 time=15m", ("5 per 15m", "9")),
            ("concurrency count=5 time=1m", "concurrency count=9 time=1m", ("5 at once", "9")),
            (
                "counter count=50 time=1h",
                "counter count=100 time=1m",
                ("`counter count=50 time=1h`", "`counter count=100 time=1m`"),
            ),
            (
                "token_bucket count=50 time=1m",
                "counter count=100 time=1m",
                ("`token_bucket count=50 time=1m`", "`counter count=100 time=1m`"),
            ),
        ] {
            let (with, instead_of) = difference(&then.parse().unwrap(), &now.parse().unwrap());
            assert_eq!((&with[..], &instead_of[..]), expected);
        }
    }
}
