//! Checks recorded calls. The exact time of a decision is unknown, but it lies in a known interval.

use crate::bounds::processes::workers::{Records, Span};
use crate::models::definitions::bound;
use ratelimit::Limit;
use std::time::Duration;

/// The resolution of clocks that are based on TTLs, in microseconds.
const GRAIN_US: u64 = 1000;

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap()
}

impl Records {
    /// Asserts that no interval has more turns than the bound of the limit plus `more`. The number of turns between two times
    /// is at least the number of recorded spans that ended before the second time, minus those that began before the first
    /// time.
    pub(crate) fn stay_within(&self, limit: &Limit, more: u64) {
        let sorted = |end: fn(&Span) -> u64| {
            let mut ends: Vec<u64> = self.passed.iter().map(end).collect();
            ends.sort_unstable();
            ends
        };
        let (starts, ends) = (sorted(|span| span.from), sorted(|span| span.to));
        for (ended, to) in (1..).zip(&ends) {
            for (before, from) in starts.iter().enumerate().take_while(|(_, from)| *from < to) {
                let (within, length) = (ended - before.min(ended), to - from);
                let most = bound(limit, Duration::from_micros(length + 2 * GRAIN_US)) + more;
                assert!(
                    within as u64 <= most,
                    "{within} calls within {length} us, and at most {most} may be"
                );
            }
        }
    }

    /// Asserts that at least `count` calls may have passed in the `time` before each refusal. If so, no call was refused while
    /// units were available. The check also holds if the machine stalls.
    pub(crate) fn refuse_only_after(&self, count: u64, time: Duration) {
        assert!(!self.refused.is_empty(), "too few calls: no call was refused");
        for Span { from, to } in &self.refused {
            let start = from - micros(time) - GRAIN_US;
            let may_be_before = |turn: &&Span| turn.to >= start && turn.from <= *to;
            let before = self.passed.iter().filter(may_be_before).count() as u64;
            assert!(before >= count, "refused after {before} of {count} calls");
        }
    }

    /// Asserts that the calls used at least `of_100` percent of the bucket's units that were available between the first
    /// admitted call and the last refusal.
    pub(crate) fn use_bucket(&self, limit: &Limit, of_100: u64) {
        let first = self.passed.iter().map(|turn| turn.to).min().unwrap();
        let last = self.refused.last().expect("too few calls: no call was refused");
        let (passed, count) = (last.from.saturating_sub(first), u64::from(limit.count()));
        let time = micros(limit.time());
        let refilled =
            if limit.refills_by_interval() { passed / time * count } else { passed * count / time };
        let (used, due) = (self.passed.len() as u64, u64::from(limit.capacity()) + refilled);
        assert!(used * 100 >= due * of_100, "{used} of {due}");
    }

    /// Asserts that the calls used at least `of_100` percent of a counter's units in all windows that refused calls.
    pub(crate) fn use_windows(&self, limit: &Limit, of_100: u64) {
        let mut moments: Vec<u64> = self.passed.iter().map(|turn| turn.to).collect();
        moments.sort_unstable();
        let mut starts: Vec<u64> = Vec::new();
        for moment in &moments {
            if starts.last().is_none_or(|start| *moment >= start + micros(limit.time())) {
                starts.push(*moment);
            }
        }
        let (mut used, mut refusing) = (0, 0);
        // The last window may be incomplete.
        for window in starts.windows(2) {
            let within = |moment: u64| window[0] <= moment && moment < window[1];
            // In a window without a refusal, the calls did not need all units.
            if self.refused.iter().any(|refused| within(refused.from)) {
                refusing += 1;
                used += moments.iter().filter(|moment| within(**moment)).count() as u64;
            }
        }
        assert!(refusing > 0, "too few calls: no call was refused");
        let due = refusing * u64::from(limit.count());
        assert!(used * 100 >= due * of_100, "{used} of {due} used in {refusing} windows");
    }

    /// The largest number of permits that were certainly held at the same time.
    pub(crate) fn most_at_once(&self) -> u64 {
        let starts = self.passed.iter().map(|turn| (turn.from, true));
        let ends = self.passed.iter().map(|turn| (turn.to, false));
        let mut events: Vec<(u64, bool)> = starts.chain(ends).collect();
        // At equal times, ends sort before starts.
        events.sort_unstable();
        let (mut now, mut most) = (0, 0);
        for (_, begins) in events {
            now = if begins { now + 1 } else { now - 1 };
            most = most.max(now);
        }
        most
    }
}
