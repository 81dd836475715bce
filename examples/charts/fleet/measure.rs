//! Computes the figures of a simulation: calls per second, and the difference between the admitted calls and the limit.

use crate::simulate::Outcome;
use ratelimit::{Algorithm, Limit};

pub(crate) struct Measured {
    /// All calls, per second.
    pub(crate) demand: f64,
    pub(crate) redis_calls: f64,
    pub(crate) admitted: f64,
    pub(crate) refused_here: f64,
    pub(crate) passed_here: f64,
    /// The refused calls that could have been admitted, in percent of all admissible calls.
    pub(crate) under_use: f64,
    /// The excess over the limit, in percent of a counter's count in a window or of a bucket's burst.
    pub(crate) over_use: f64,
}

impl Measured {
    pub(crate) fn of(outcome: &Outcome, ideal: &Outcome, limit: &Limit) -> Self {
        let milliseconds = float(outcome.after_start().len() as u64);
        let per_second = |number: u64| float(number) * 1000.0 / milliseconds;
        let (admitted, most) = (float(outcome.admitted()), float(ideal.admitted()));
        let capacity = f64::from(limit.capacity());
        let over = match limit.algorithm() {
            Algorithm::TokenBucket => at_once(&outcome.passed, f64::from(limit.count()) / 1000.0) - 1.0,
            _ => f64::from(in_a_window(&outcome.passed)),
        };
        Self {
            demand: per_second(outcome.calls),
            redis_calls: per_second(outcome.redis_calls),
            admitted: per_second(outcome.admitted()),
            refused_here: per_second(outcome.refused_here),
            passed_here: per_second(outcome.passed_here),
            under_use: ((most - admitted) * 100.0 / most).max(0.0),
            over_use: ((over - capacity) * 100.0 / capacity).max(0.0),
        }
    }
}

/// Returns the largest burst: the maximum, over all intervals, of the calls minus the units that are refilled in the
/// interval.
fn at_once(passed: &[u32], per_ms: f64) -> f64 {
    let (mut above, mut most) = (0.0_f64, 0.0_f64);
    for calls in passed {
        above = (above - per_ms).max(0.0) + f64::from(*calls);
        most = most.max(above);
    }
    most
}

/// Returns the most calls in a window of one second. A window starts with its first admitted call.
fn in_a_window(passed: &[u32]) -> u32 {
    let (mut at, mut most) = (0, 0);
    while let Some(first) = passed.get(at..).and_then(|rest| rest.iter().position(|calls| *calls > 0)) {
        let end = (at + first + 1000).min(passed.len());
        most = most.max(passed[at + first..end].iter().sum());
        at = end;
    }
    most
}

fn float(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_starts_with_its_first_call() {
        let mut passed = vec![0; 3000];
        (passed[500], passed[1499], passed[1500]) = (3, 4, 100);
        assert_eq!(in_a_window(&passed), 100);
        passed[1500] = 5;
        assert_eq!(in_a_window(&passed), 7);
    }

    #[test]
    fn refilled_units_are_not_part_of_a_burst() {
        assert!((at_once(&[5, 5, 5, 0, 0, 9], 5.0) - 9.0).abs() < 1e-9);
        assert!((at_once(&[8, 8, 0, 0], 5.0) - 11.0).abs() < 1e-9);
    }
}
