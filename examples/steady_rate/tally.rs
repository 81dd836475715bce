//! What became of the calls against one limit, by the millisecond, and whether the rate was held.

use crate::{RATE, START, TOLERANCE};
use ratelimit::Rejection;
use std::error::Error as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The length of the interval that slides, in milliseconds.
pub(crate) const SECOND: usize = 1000;

/// What can become of a call.
#[derive(Clone, Copy)]
pub(crate) enum Fate {
    Admitted,
    Refused,
    Failed,
}

/// How many calls there were of each fate.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) admitted: u32,
    pub(crate) refused: u32,
    pub(crate) failed: u32,
}

/// A count per fate and millisecond, written by many workers at once.
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

    /// Counts a call that has ended now. What comes after the end is forgotten.
    pub(crate) fn record(&self, fate: Fate) {
        if let Some(moment) = self.moments.get(index(self.start.elapsed())) {
            moment[fate as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a call that could not be decided, and stores the first reason.
    pub(crate) fn record_failure(&self, rejection: &Rejection) {
        self.record(Fate::Failed);
        // The rejection is for the client. Its source says what went wrong.
        self.failure
            .get_or_init(|| rejection.source().map_or_else(|| rejection.to_string(), ToString::to_string));
    }

    /// The second that ends at this time after the start.
    pub(crate) fn last_second(&self, end: Duration) -> Counts {
        let end = index(end).min(self.moments.len());
        self.between(end.saturating_sub(SECOND), end)
    }

    pub(crate) fn total(&self) -> Counts {
        self.between(0, self.moments.len())
    }

    /// What has passed, by the millisecond.
    pub(crate) fn admitted(&self) -> Vec<u32> {
        self.moments.iter().map(|moment| moment[Fate::Admitted as usize].load(Ordering::Relaxed)).collect()
    }

    fn between(&self, begin: usize, end: usize) -> Counts {
        let sum = |fate: Fate| {
            let moments = self.moments[begin..end].iter();
            moments.map(|moment| moment[fate as usize].load(Ordering::Relaxed)).sum()
        };
        Counts { admitted: sum(Fate::Admitted), refused: sum(Fate::Refused), failed: sum(Fate::Failed) }
    }
}

fn index(time: Duration) -> usize {
    usize::try_from(time.as_millis()).unwrap_or(usize::MAX)
}

/// All algorithms in one store.
pub(crate) struct Run {
    pub(crate) store: &'static str,
    pub(crate) measured: Vec<Measured>,
}

impl Run {
    pub(crate) fn is_steady(&self) -> bool {
        self.measured.iter().all(Measured::is_steady)
    }
}

/// One algorithm in one store.
pub(crate) struct Measured {
    /// What has passed in the second up to each millisecond.
    pub(crate) rolling: Vec<u32>,
    pub(crate) total: Counts,
    /// Why the first call failed that did.
    pub(crate) failure: Option<String>,
}

impl Measured {
    pub(crate) fn of(tally: &Tally) -> Self {
        let failure = tally.failure.get().cloned();
        Self { rolling: rolling(&tally.admitted()), total: tally.total(), failure }
    }

    /// What has passed per second: the mean of every second that ends after the start. Counting calls and dividing by
    /// the time would be wrong by a whole window where windows end just before or after the measurement does.
    pub(crate) fn mean(&self) -> f64 {
        mean(self.after_start())
    }

    /// The most that has passed in a second after the start.
    pub(crate) fn most(&self) -> u32 {
        self.after_start().iter().copied().max().unwrap_or_default()
    }

    /// How far the mean is from the limit.
    pub(crate) fn percent_off(&self) -> f64 {
        (self.mean() - f64::from(RATE)) * 100.0 / f64::from(RATE)
    }

    pub(crate) fn is_steady(&self) -> bool {
        self.percent_off().abs() <= TOLERANCE
    }

    /// Seconds since the start, and what passed per second, the mean of each step of so many milliseconds.
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

/// For every millisecond, how much has come in the second that ends with it.
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
