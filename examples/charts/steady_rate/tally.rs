//! Counts the calls of one limit by millisecond and outcome, and computes the mean rate.

use crate::{RATE, START, TOLERANCE};
use ratelimit::Rejection;
use std::error::Error as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The length of the sliding interval, in milliseconds.
pub(crate) const SECOND: usize = 1000;

/// The outcome of a call.
#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    Admitted,
    Refused,
    Failed,
}

/// The number of calls with each outcome.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) admitted: u32,
    pub(crate) refused: u32,
    pub(crate) failed: u32,
}

/// A counter for each outcome and millisecond. Many workers share it.
pub(crate) struct Tally {
    start: Instant,
    moments: Vec<[AtomicU32; 3]>,
    failure: OnceLock<String>,
}

impl Tally {
    pub(crate) fn new(start: Instant, length: Duration) -> Self {
        let moments = usize::try_from(length.as_millis()).unwrap_or_default();
        let moments = (0..moments).map(|_| Default::default()).collect();
        Self { start, moments, failure: OnceLock::new() }
    }

    /// Counts a call that ends now. Ignores calls after the end of the measurement.
    pub(crate) fn record(&self, outcome: Outcome) {
        if let Some(moment) = self.moments.get(index(self.start.elapsed())) {
            moment[outcome as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a call that could not be decided, and stores the first reason.
    pub(crate) fn record_failure(&self, rejection: &Rejection) {
        self.record(Outcome::Failed);
        // The text of the rejection is for the client. Its source says what went wrong.
        self.failure
            .get_or_init(|| rejection.source().map_or_else(|| rejection.to_string(), ToString::to_string));
    }

    /// Counts the calls in the second before `end`, which is a time since the start.
    pub(crate) fn last_second(&self, end: Duration) -> Counts {
        let end = index(end).min(self.moments.len());
        self.between(end.saturating_sub(SECOND), end)
    }

    pub(crate) fn total(&self) -> Counts {
        self.between(0, self.moments.len())
    }

    /// Returns the admitted calls of each millisecond.
    pub(crate) fn admitted(&self) -> Vec<u32> {
        self.moments.iter().map(|moment| moment[Outcome::Admitted as usize].load(Ordering::Relaxed)).collect()
    }

    fn between(&self, begin: usize, end: usize) -> Counts {
        let sum = |outcome: Outcome| {
            let moments = self.moments[begin..end].iter();
            moments.map(|moment| moment[outcome as usize].load(Ordering::Relaxed)).sum()
        };
        Counts {
            admitted: sum(Outcome::Admitted),
            refused: sum(Outcome::Refused),
            failed: sum(Outcome::Failed),
        }
    }
}

fn index(time: Duration) -> usize {
    usize::try_from(time.as_millis()).unwrap_or(usize::MAX)
}

/// The results of all algorithms in one store.
pub(crate) struct Run {
    pub(crate) store: &'static str,
    pub(crate) measured: Vec<Measured>,
}

impl Run {
    pub(crate) fn is_steady(&self) -> bool {
        self.measured.iter().all(Measured::is_steady)
    }
}

/// The result of one algorithm in one store.
pub(crate) struct Measured {
    /// For each millisecond, the calls that were admitted in the second before it.
    pub(crate) rolling: Vec<u32>,
    pub(crate) total: Counts,
    /// The reason of the first failure.
    pub(crate) failure: Option<String>,
}

impl Measured {
    pub(crate) fn of(tally: &Tally) -> Self {
        let failure = tally.failure.get().cloned();
        Self { rolling: rolling(&tally.admitted()), total: tally.total(), failure }
    }

    /// Returns the admitted calls per second: the mean over all seconds that end after the start. A simple quotient (all
    /// calls by the whole time) would be wrong by a whole window if a window ended close to the end of the measurement.
    pub(crate) fn mean(&self) -> f64 {
        mean(self.after_start())
    }

    /// Returns the largest number of admitted calls in a second after the start.
    pub(crate) fn most(&self) -> u32 {
        self.after_start().iter().copied().max().unwrap_or_default()
    }

    /// Returns the difference between the mean and the limit, in percent.
    pub(crate) fn percent_off(&self) -> f64 {
        (self.mean() - f64::from(RATE)) * 100.0 / f64::from(RATE)
    }

    pub(crate) fn is_steady(&self) -> bool {
        self.percent_off().abs() <= TOLERANCE
    }

    /// Returns the points of a line: seconds since the start, and the mean rate of each step of `step` milliseconds.
    pub(crate) fn curve(&self, step: usize) -> impl Iterator<Item = (f64, f64)> {
        let middles = (0_u32..).map(move |n| (f64::from(n) + 0.5) * float(step) / float(SECOND));
        middles.zip(self.rolling.chunks(step).map(mean))
    }

    fn after_start(&self) -> &[u32] {
        let start = usize::try_from(START.as_millis()).unwrap_or_default();
        self.rolling.get(start..).unwrap_or_default()
    }
}

fn mean(values: &[u32]) -> f64 {
    values.iter().copied().map(f64::from).sum::<f64>() / float(values.len())
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Returns, for each millisecond, the sum over the second that ends with this millisecond.
pub(crate) fn rolling(moments: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let slide = |(at, arrived): (usize, &u32)| {
        sum += arrived;
        if let Some(gone) = at.checked_sub(SECOND) {
            sum -= moments[gone];
        }
        sum
    };
    moments.iter().enumerate().map(slide).collect()
}

#[cfg(test)]
mod tests {
    use super::rolling;

    #[test]
    fn a_call_counts_for_one_second() {
        let mut moments = vec![0; 2500];
        moments[700] = 3;
        moments[1699] = 4;
        let rolling = rolling(&moments);
        let seen = [699, 700, 1698, 1699, 1700, 2498, 2499].map(|at| rolling[at]);
        assert_eq!(seen, [0, 3, 3, 7, 4, 4, 4]);
    }
}
