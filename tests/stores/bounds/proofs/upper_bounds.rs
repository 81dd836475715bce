//! Proves from records that limits were not exceeded. The turn of each call is somewhere in a known interval.

use crate::bounds::processes::workers::{Passed, Span};

/// The resolution of clocks that are based on TTLs, in microseconds.
pub(crate) const GRAIN_US: u64 = 1000;

/// The ends of all intervals, sorted. Between two moments there were at least as many turns as intervals ended before
/// the second moment, less those that began before the first.
pub(crate) struct Ends {
    from: Vec<u64>,
    to: Vec<u64>,
}

impl Ends {
    pub(crate) fn of(passed: &[Passed]) -> Self {
        let sorted = |end: fn(&Span) -> u64| {
            let mut ends: Vec<u64> = passed.iter().map(|call| end(&call.turn)).collect();
            ends.sort_unstable();
            ends
        };
        Self { from: sorted(|span| span.from), to: sorted(|span| span.to) }
    }

    /// Asserts at most `most` turns in each interval of `length` microseconds.
    pub(crate) fn at_most(&self, most: u64, length: u64) {
        let mut before = 0;
        for (at, to) in self.to.iter().enumerate() {
            before += self.from[before..].iter().take_while(|from| **from + length < *to).count();
            let within = (at + 1).saturating_sub(before) as u64;
            assert!(within <= most, "{within} calls within {length} us, and at most {most} may be");
        }
    }

    /// Asserts at most `at_once` turns plus `count` per `time` in each interval.
    pub(crate) fn below_line(&self, at_once: u64, count: u64, time: u64) {
        let (mut lowest, mut from) = (i128::MAX, self.from.iter().enumerate().peekable());
        let height = |calls: usize, at: u64| {
            calls as i128 * i128::from(time) - i128::from(count * (at - self.from[0]))
        };
        for (at, to) in self.to.iter().enumerate() {
            while let Some((before, from)) = from.next_if(|(_, from)| **from <= *to) {
                lowest = lowest.min(height(before, *from));
            }
            let above = height(at + 1, *to) - lowest - i128::from(at_once * time + count * 2 * GRAIN_US);
            assert!(
                above <= 0,
                "{above} / {time} calls above the bound, {} us after the first",
                to - self.from[0]
            );
        }
    }
}

/// The number of turns that were certainly between two moments.
fn within(passed: &[Passed], from: u64, to: u64) -> u64 {
    passed.iter().filter(|call| from <= call.turn.from && call.turn.to <= to).count() as u64
}

fn first(moments: impl Iterator<Item = u64>) -> Option<u64> {
    moments.min()
}

/// Asserts at most `count` turns in each window. A window starts with the first turn after the end of the previous
/// one.
pub(crate) fn windows_hold(passed: &[Passed], count: u64, time: u64) {
    let turns = || passed.iter().map(|call| call.turn);
    // The window started between these moments, and the previous one had ended.
    let mut starts = first(turns().map(|turn| turn.from)).zip(first(turns().map(|turn| turn.to)));
    let mut after = 0;
    while let Some((earliest, latest)) = starts {
        let (ends, ended) = (earliest + time - GRAIN_US, latest + time + GRAIN_US);
        let calls = within(passed, after, ends);
        assert!(calls <= count, "{calls} calls in a window, and at most {count} may be");
        let next = first(turns().filter(|turn| turn.to > ends).map(|turn| turn.from.max(ends)));
        starts = next.zip(first(turns().filter(|turn| turn.from >= ended).map(|turn| turn.to)));
        after = ended;
    }
}

/// Asserts at most `at_once` turns before the first step ends, and `count` more with each step.
pub(crate) fn steps_hold(passed: &[Passed], at_once: u64, count: u64, time: u64) {
    let Some(start) = first(passed.iter().map(|call| call.turn.from)) else { return };
    for step in 0..8 {
        let (calls, most) = (within(passed, 0, start + (step + 1) * time - GRAIN_US), at_once + count * step);
        assert!(calls <= most, "{calls} calls in {step} steps, and at most {most} may be");
    }
}

/// Asserts at most `count` turns in each cell of a sliding window, including the covered share of the cell before.
pub(crate) fn cells_hold(passed: &[Passed], count: u64, time: u64) {
    let turns = || passed.iter().map(|call| call.turn);
    let Some(earliest) = first(turns().map(|turn| turn.from)) else { return };
    let Some(latest) = first(turns().map(|turn| turn.to)) else { return };
    let mut previous = 0;
    for cell in 0.. {
        let (from, to) = (latest + cell * time + GRAIN_US, earliest + (cell + 1) * time - GRAIN_US);
        // A new series of cells starts after an empty cell.
        if !turns().any(|turn| turn.to >= earliest + cell * time && turn.from <= latest + (cell + 1) * time) {
            return;
        }
        let mut ends: Vec<u64> =
            turns().filter(|turn| from <= turn.from && turn.to <= to).map(|turn| turn.to).collect();
        ends.sort_unstable();
        for (calls, at) in (1..).zip(&ends) {
            let share = previous * (to - at) / time;
            assert!(calls + share <= count, "{calls} calls in a cell and {share} of the one before it");
        }
        previous = ends.len() as u64;
    }
}

/// The largest number of permits that were certainly held at the same time.
pub(crate) fn most_at_once(held: &[Passed]) -> u64 {
    let starts = held.iter().map(|call| (call.turn.from, true));
    let mut events: Vec<(u64, bool)> = starts.chain(held.iter().map(|call| (call.turn.to, false))).collect();
    // At the same moment, ends come before starts.
    events.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, begins) in events {
        if begins {
            now += 1;
        } else {
            now -= 1;
        }
        most = most.max(now);
    }
    most
}
