//! The outcome of traffic under one limit, in numbers.

use super::grid::{Grid, Series};
use crate::simulate::numbers::index;
use crate::simulate::time::{MS, micros};
use crate::simulate::traffic::Call;
use ratelimit::{Decision, Limit};
use std::collections::VecDeque;

/// Consecutive refusals of one caller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Streak {
    pub(crate) refusals: u64,
    /// The time from the first refusal to the last one, in microseconds.
    pub(crate) length: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CallerCounts {
    pub(crate) offered: u32,
    pub(crate) refused: u32,
}

/// The last calls of one caller, while the traffic is decided.
#[derive(Clone, Default)]
pub(super) struct Recent {
    /// The number of refusals since the last admitted call, and the time of the first of them.
    streak: u32,
    since: u64,
    /// The start times of the last admitted calls within one `time`, in milliseconds.
    window: VecDeque<u64>,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) limit: Limit,
    pub(crate) offered: u64,
    pub(crate) admitted: u64,
    pub(crate) refused: u64,
    /// The number of refused calls whose cost is above what the limit can ever hold.
    pub(crate) never: u64,
    /// The number of admitted calls that waited for their turn.
    pub(crate) waited: u64,
    /// The longest wait in microseconds.
    pub(crate) longest_wait: u64,
    /// The number of callers with at least one refused call.
    pub(crate) callers_refused: u64,
    /// The longest streak of refusals of one caller.
    pub(crate) streak: Streak,
    /// The maximum number of units that one caller was admitted within any interval of the limit's `time`.
    pub(crate) worst: u64,
    pub(crate) series: Series,
    /// The numbers of offered and refused calls of each caller.
    pub(crate) callers: Vec<CallerCounts>,
}

impl Outcome {
    pub(super) fn new(limit: Limit, callers: usize, grid: Grid) -> Self {
        Self {
            limit,
            offered: 0,
            admitted: 0,
            refused: 0,
            never: 0,
            waited: 0,
            longest_wait: 0,
            callers_refused: 0,
            streak: Streak::default(),
            worst: 0,
            series: Series::new(grid),
            callers: vec![CallerCounts::default(); callers],
        }
    }

    /// Counts a call that costs `cost` units. `recent` has the last calls of the same caller.
    pub(super) fn note(&mut self, call: Call, decision: &Decision, cost: u32, recent: &mut Recent) {
        let caller = &mut self.callers[index(call.caller.into())];
        self.offered += 1;
        caller.offered += 1;
        self.series.offer(call.at);
        if decision.is_allowed() {
            let wait = micros(decision.delay());
            self.admitted += 1;
            self.waited += u64::from(wait > 0);
            self.longest_wait = self.longest_wait.max(wait);
            let start = call.at.saturating_add(wait);
            // The store decides in milliseconds, so the window is counted in milliseconds, too.
            let calls = recent.admit(start / MS, micros(self.limit.time()) / MS);
            self.worst = self.worst.max(calls * u64::from(cost));
            self.series.admit(start);
        } else {
            self.refused += 1;
            self.never += u64::from(decision.retry_after().is_none());
            self.callers_refused += u64::from(caller.refused == 0);
            caller.refused += 1;
            self.streak = recent.refuse(call.at, self.streak);
            self.series.refuse(call.at);
        }
    }
}

impl Recent {
    /// Counts the calls of the caller that started within the `time` that ends with this call.
    fn admit(&mut self, start: u64, time: u64) -> u64 {
        self.streak = 0;
        while self.window.front().is_some_and(|earlier| start.saturating_sub(*earlier) >= time) {
            self.window.pop_front();
        }
        self.window.push_back(start);
        self.window.len() as u64
    }

    /// Adds a refusal. Returns the longer of this streak and `longest`.
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
    use std::time::Duration;

    const LIMIT: Limit = Limit::counter(9, Duration::from_secs(10));
    const ADMITTED: Decision = Decision::allow(&LIMIT, 0, Duration::ZERO);
    const REFUSED: Decision =
        Decision::refuse(&LIMIT, 0, Some(Duration::from_secs(1)), Duration::from_secs(1));
    const NEVER: Decision = Decision::refuse(&LIMIT, 0, None, Duration::ZERO);

    fn tally(decided: &[(u64, u32, Decision)]) -> Outcome {
        let mut outcome = Outcome::new(LIMIT, 2, Grid::covering(SECOND, 1));
        let mut recent = [Recent::default(), Recent::default()];
        for (second, caller, decided) in decided {
            let recent = &mut recent[index((*caller).into())];
            outcome.note(Call { at: second * SECOND, caller: *caller }, decided, 2, recent);
        }
        outcome
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
            (8, 1, NEVER),
        ]);
        assert_eq!(outcome.streak, Streak { refusals: 3, length: 4 * SECOND });
        assert_eq!((outcome.refused, outcome.never, outcome.callers_refused), (6, 1, 2));
        assert_eq!(outcome.callers[0], CallerCounts { offered: 6, refused: 5 });
    }

    #[test]
    fn a_call_that_waits_counts_when_it_starts() {
        let waiting = ADMITTED.in_turn(Duration::from_secs(9), 0);
        let outcome = tally(&[(0, 0, ADMITTED), (1, 0, waiting)]);
        assert_eq!((outcome.waited, outcome.longest_wait, outcome.worst), (1, 9 * SECOND, 2));
    }
}
