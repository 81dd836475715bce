//! Proves from records that no call was refused while units were available. Stalls of the machine do not matter.

use crate::bounds::processes::workers::{Passed, Records, Span};
use crate::bounds::proofs::upper_bounds::GRAIN_US;

/// The most calls whose turn may be in an interval.
fn at_most_within(passed: &[Passed], from: u64, to: u64) -> u64 {
    passed.iter().filter(|call| call.turn.to >= from && call.turn.from <= to).count() as u64
}

/// The refusals. There must be some.
fn refusals(records: &Records) -> impl Iterator<Item = Span> {
    assert!(!records.refused.is_empty(), "too few calls: no call was refused");
    records.refused.iter().copied()
}

/// Asserts that each refusal had `count` calls in the `time` before it: every window that refused a call was full.
pub(crate) fn windows_are_full(records: &Records, count: u64, time: u64) {
    for Span { from, to } in refusals(records) {
        let before = at_most_within(&records.passed, from - time - GRAIN_US, to);
        assert!(before >= count, "refused after {before} of {count} calls");
    }
}

/// The same for a sliding window: the calls of the cell, and the covered share of the cell before it, leave no room.
pub(crate) fn cells_are_full(records: &Records, count: u64, time: u64) {
    let Records { passed, .. } = records;
    let earliest = passed.iter().map(|call| call.turn.from).min().unwrap() - GRAIN_US;
    let latest = passed.iter().map(|call| call.turn.to).min().unwrap() + GRAIN_US;
    let mut judged = 0;
    for Span { from, to } in refusals(records) {
        let cell = from.saturating_sub(earliest) / time;
        let (start, end) = (earliest + cell * time, latest + (cell + 1) * time);
        // Skips refusals that may belong to a cell beside this one, and those after a gap, where a new series of cells
        // may have started.
        let gap = (1..=cell)
            .any(|cell| at_most_within(passed, latest + (cell - 1) * time, earliest + cell * time) == 0);
        if from < latest + cell * time || to >= earliest + (cell + 1) * time || gap {
            continue;
        }
        judged += 1;
        let calls = at_most_within(passed, start, to);
        let previous = if cell == 0 { 0 } else { at_most_within(passed, start - time, latest + cell * time) };
        let share = previous * (end - from) / time;
        assert!(
            calls + share + 1 >= count,
            "refused after {calls} calls in a cell and {share} of the one before it"
        );
    }
    assert!(judged > 0, "too few calls: no call was refused within a cell");
}
