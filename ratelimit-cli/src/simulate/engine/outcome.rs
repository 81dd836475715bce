//! The outcome of traffic under one limit, in numbers.

use super::grid::Series;
use crate::simulate::time::micros;
use ratelimit::{Decision, Limit};

/// The decision about a call. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Decided {
    Admitted {
        wait: u64,
        remaining: u32,
    },
    /// `None`: the call never passes.
    Refused {
        retry_after: Option<u64>,
    },
}

impl Decided {
    pub(super) fn of(decision: &Decision) -> Self {
        if decision.is_allowed() {
            Self::Admitted { wait: micros(decision.delay()), remaining: decision.remaining() }
        } else {
            Self::Refused { retry_after: decision.retry_after().map(micros) }
        }
    }
}

/// Consecutive refusals of one caller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Streak {
    pub(crate) refusals: u64,
    /// From the first refusal to the last one, in microseconds.
    pub(crate) length: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) limit: Limit,
    pub(crate) offered: u64,
    pub(crate) admitted: u64,
    pub(crate) refused: u64,
    /// Refused calls whose cost is above what the limit can ever hold.
    pub(crate) never: u64,
    /// Admitted calls that waited for their turn.
    pub(crate) waited: u64,
    /// In microseconds.
    pub(crate) longest_wait: u64,
    /// The callers with at least one refused call.
    pub(crate) callers_refused: u64,
    /// The longest streak of refusals of one caller.
    pub(crate) streak: Streak,
    /// The maximum number of units that one caller was admitted within any interval of the limit's `time`.
    pub(crate) worst: u64,
    /// One for each grid.
    pub(crate) series: Vec<Series>,
    /// Offered and refused calls of each caller.
    pub(crate) callers: Vec<CallerCounts>,
}

impl Outcome {
    pub(super) fn new(limit: Limit, series: Vec<Series>) -> Self {
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
            series,
            callers: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CallerCounts {
    pub(crate) offered: u32,
    pub(crate) refused: u32,
}
