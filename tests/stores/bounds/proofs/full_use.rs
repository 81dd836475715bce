//! What records of refusals prove: nobody is refused while there is room, however long the machine lets nobody call.

use crate::bounds::processes::workers::{Passed, Records, Span};
use crate::bounds::proofs::upper_bounds::GRAIN_US;

/// How many calls may have had their turn between these moments.
fn at_most_within(passed: &[Passed], from: u64, to: u64) -> u64 {
    passed.iter().filter(|call| call.turn.to >= from && call.turn.from <= to).count() as u64
}

/// The refusals, of which there have to be some to prove anything.
fn refusals(records: &Records) -> impl Iterator<Item = Span> {
    assert!(!records.refused.is_empty(), "too few calls: nobody was refused");
    records.refused.iter().copied()
}

/// Whoever is refused has `count` calls in the last `time` before him: all windows that refused anybody were full.
pub(crate) fn windows_are_full(records: &Records, count: u64, time: u64) {
    for Span { from, to } in refusals(records) {
        let before = at_most_within(&records.passed, from - time - GRAIN_US, to);
        assert!(before >= count, "refused after {before} calls, and {count} may pass");
    }
}

/// The same for cells that follow each other without gap: the calls of the cell, and the share of those in the one
/// before it that the window still covers, leave no room.
pub(crate) fn cells_are_full(records: &Records, count: u64, time: u64) {
    let Records { passed, .. } = records;
    let earliest = passed.iter().map(|call| call.turn.from).min().unwrap() - GRAIN_US;
    let latest = passed.iter().map(|call| call.turn.to).min().unwrap() + GRAIN_US;
    let mut judged = 0;
    for Span { from, to } in refusals(records) {
        let cell = from.saturating_sub(earliest) / time;
        let (start, end) = (earliest + cell * time, latest + (cell + 1) * time);
        // Of the next cell, or one after a gap, where another line of cells may have started.
        let gap = (1..=cell)
            .any(|cell| at_most_within(passed, latest + (cell - 1) * time, earliest + cell * time) == 0);
        if to >= earliest + (cell + 1) * time || gap {
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
    assert!(judged > 0, "too few calls: nobody was refused within a cell");
}
