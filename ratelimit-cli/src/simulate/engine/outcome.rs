//! The outcome of traffic under one limit, in numbers.

use super::grid::Series;

/// Refusals of one caller in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Streak {
    pub(crate) refusals: u64,
    /// From the first refusal to the last one, in microseconds.
    pub(crate) length: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
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
    /// The most units that one caller was admitted within any interval of the limit's `time`; for a concurrency limit, the
    /// most permits that it held at once.
    pub(crate) worst: u64,
    /// One for each grid.
    pub(crate) series: Vec<Series>,
    /// Offered and refused calls of each caller.
    pub(crate) callers: Vec<CallerCounts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CallerCounts {
    pub(crate) offered: u32,
    pub(crate) refused: u32,
}
