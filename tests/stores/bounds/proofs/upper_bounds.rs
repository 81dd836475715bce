//! What records of calls prove: each call had its turn somewhere within its own span, and nobody knows where.

use crate::bounds::processes::workers::{Passed, Span};

/// The grain of the store's clock where keys that expire are its clock.
pub(crate) const GRAIN_US: u64 = 1000;

/// The calls as sorted moments: before these they had no turn, and at these they had. Between two moments, whatever they
/// are, lie for certain as many as had their turn at the second, but those that may have had it before the first.
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

    /// At most so many calls in each interval of so many microseconds.
    pub(crate) fn at_most(&self, most: u64, length: u64) {
        let mut before = 0;
        for (at, to) in self.to.iter().enumerate() {
            before += self.from[before..].iter().take_while(|from| **from + length < *to).count();
            let within = (at + 1).saturating_sub(before) as u64;
            assert!(within <= most, "{within} calls within {length} us, and at most {most} may be");
        }
    }

    /// At most `at_once` and `count` for each `time` in each interval: no `to` above the line from the lowest `from`.
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

/// How many calls lie for certain between these moments.
fn within(passed: &[Passed], from: u64, to: u64) -> u64 {
    passed.iter().filter(|call| from <= call.turn.from && call.turn.to <= to).count() as u64
}

fn first(moments: impl Iterator<Item = u64>) -> Option<u64> {
    moments.min()
}

/// At most `count` calls in each window, the next of which starts with the first call after its end.
pub(crate) fn windows_hold(passed: &[Passed], count: u64, time: u64) {
    let turns = || passed.iter().map(|call| call.turn);
    // The window starts between these, and the one before has ended then.
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

/// At most `at_once` before the first step has ended, and `count` more with each step from the first call on.
pub(crate) fn steps_hold(passed: &[Passed], at_once: u64, count: u64, time: u64) {
    let Some(start) = first(passed.iter().map(|call| call.turn.from)) else { return };
    for step in 0..8 {
        let (calls, most) = (within(passed, 0, start + (step + 1) * time - GRAIN_US), at_once + count * step);
        assert!(calls <= most, "{calls} calls in {step} steps, and at most {most} may be");
    }
}

/// In cells that follow each other without gap: at most `count` calls in each, with the share of those in the one before
/// it that the window still covers.
pub(crate) fn cells_hold(passed: &[Passed], count: u64, time: u64) {
    let turns = || passed.iter().map(|call| call.turn);
    let Some(earliest) = first(turns().map(|turn| turn.from)) else { return };
    let Some(latest) = first(turns().map(|turn| turn.to)) else { return };
    let mut previous = 0;
    for cell in 0.. {
        let (from, to) = (latest + cell * time + GRAIN_US, earliest + (cell + 1) * time - GRAIN_US);
        // An empty cell is forgotten, and the next call starts another line of cells.
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

/// How many permits were held at once, for certain.
pub(crate) fn most_at_once(held: &[Passed]) -> u64 {
    let starts = held.iter().map(|call| (call.turn.from, true));
    let mut events: Vec<(u64, bool)> = starts.chain(held.iter().map(|call| (call.turn.to, false))).collect();
    // At one moment ends come first.
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
