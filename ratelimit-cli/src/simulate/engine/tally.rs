//! Counts the decisions of one limit, for all callers and for each caller.

use super::grid::{Grid, Series};
use super::outcome::{CallerCounts, Decided, Outcome, Streak};
use crate::simulate::numbers::index;
use crate::simulate::time::{MS, micros};
use crate::simulate::traffic::Call;
use ratelimit::Limit;
use std::collections::VecDeque;

/// The counts of a caller while the traffic is decided.
#[derive(Default)]
struct Caller {
    counts: CallerCounts,
    /// The refusals since its last admitted call, and the time of the first one.
    streak: u32,
    since: u64,
    /// The milliseconds at which its last admitted calls started, within one `time`.
    window: VecDeque<u64>,
}

pub(super) struct Tally {
    /// The limit's `time` in milliseconds, in which the store decides.
    time: u64,
    cost: u64,
    callers: Vec<Caller>,
    outcome: Outcome,
}

impl Tally {
    pub(super) fn new(limit: Limit, cost: u32, callers: u64, grids: &[Grid]) -> Self {
        let time = micros(limit.time()) / MS;
        let outcome = Outcome::new(limit, grids.iter().copied().map(Series::new).collect());
        Self { time, cost: cost.into(), callers: (0..callers).map(|_| Caller::default()).collect(), outcome }
    }

    pub(super) fn note(&mut self, call: Call, decided: Decided) {
        let Some(caller) = self.callers.get_mut(index(call.caller.into())) else { return };
        let outcome = &mut self.outcome;
        outcome.offered += 1;
        caller.counts.offered += 1;
        match decided {
            Decided::Admitted { wait, .. } => {
                outcome.admitted += 1;
                outcome.waited += u64::from(wait > 0);
                outcome.longest_wait = outcome.longest_wait.max(wait);
                caller.streak = 0;
                let start = call.at.saturating_add(wait);
                outcome.worst = outcome.worst.max(caller.admit(start / MS, self.time) * self.cost);
                outcome.series.iter_mut().for_each(|series| series.admit(start));
            }
            Decided::Refused { retry_after } => {
                outcome.refused += 1;
                outcome.never += u64::from(retry_after.is_none());
                outcome.callers_refused += u64::from(caller.counts.refused == 0);
                caller.counts.refused += 1;
                outcome.streak = caller.refuse(call.at, outcome.streak);
                outcome.series.iter_mut().for_each(|series| series.refuse(call.at));
            }
        }
    }

    pub(super) fn into_outcome(self) -> Outcome {
        let callers = self.callers.iter().map(|caller| caller.counts).collect();
        Outcome { callers, ..self.outcome }
    }
}

impl Caller {
    /// Returns how many calls started within the `time` that ends with this call.
    fn admit(&mut self, start: u64, time: u64) -> u64 {
        while self.window.front().is_some_and(|earlier| start.saturating_sub(*earlier) >= time) {
            self.window.pop_front();
        }
        self.window.push_back(start);
        self.window.len() as u64
    }

    /// Returns the longest streak of all.
    fn refuse(&mut self, at: u64, longest: Streak) -> Streak {
        if self.streak == 0 {
            self.since = at;
        }
        self.streak += 1;
        let streak = Streak { refusals: self.streak.into(), length: at - self.since };
        if (streak.refusals, streak.length) > (longest.refusals, longest.length) { streak } else { longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::SECOND;

    const ADMITTED: Decided = Decided::Admitted { wait: 0, remaining: 0 };
    const REFUSED: Decided = Decided::Refused { retry_after: Some(SECOND) };

    fn tally(decided: &[(u64, u32, Decided)]) -> Outcome {
        let mut tally = Tally::new("counter count=9 time=10s".parse().unwrap(), 2, 2, &[]);
        for (second, caller, decided) in decided {
            tally.note(Call { at: second * SECOND, caller: *caller }, *decided);
        }
        tally.into_outcome()
    }

    #[test]
    fn the_worst_window_is_that_of_one_caller_and_half_open() {
        let outcome = tally(&[
            (0, 0, ADMITTED),
            (0, 1, ADMITTED),
            (9, 0, ADMITTED),
            (10, 0, ADMITTED), // the call at 0 s is no longer in the window
            (18, 0, ADMITTED),
        ]);
        assert_eq!((outcome.admitted, outcome.worst), (5, 3 * 2));
    }

    #[test]
    fn a_streak_ends_with_an_admitted_call_of_its_caller() {
        let outcome = tally(&[
            (0, 0, REFUSED),
            (1, 0, REFUSED),
            (2, 1, ADMITTED),
            (4, 0, REFUSED),
            (5, 0, ADMITTED),
            (6, 0, REFUSED),
            (7, 0, REFUSED),
            (8, 1, Decided::Refused { retry_after: None }),
        ]);
        assert_eq!(outcome.streak, Streak { refusals: 3, length: 4 * SECOND });
        assert_eq!((outcome.refused, outcome.never, outcome.callers_refused), (6, 1, 2));
        assert_eq!(outcome.callers[0], CallerCounts { offered: 6, refused: 5 });
    }

    #[test]
    fn a_call_that_waits_counts_when_it_starts() {
        let wait = 9 * SECOND;
        let outcome = tally(&[(0, 0, ADMITTED), (1, 0, Decided::Admitted { wait, remaining: 0 })]);
        assert_eq!((outcome.waited, outcome.longest_wait, outcome.worst), (1, wait, 2));
    }
}
