//! Counter: at most `count` units in each window. A window starts with its first charged call, and ends after `time` or with the
//! calendar.

use super::calendar::{end_of, offset};
use super::{Numbers, Turns, saturated};

#[derive(Clone, Debug)]
pub(super) struct Counter {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    /// The last window, if it has not ended. It may lie in the future.
    last: Option<Window>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    end: u64,
    used: u64,
}

impl Counter {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, last: None }
    }

    fn end_of_window(&self, begin: u64) -> u64 {
        match self.numbers.window() {
            Some((window, zone)) => end_of(window, offset(zone), begin),
            None => begin + self.numbers.time,
        }
    }

    /// Whether the window begins later than any call can wait. The cause is a long pause, or a change to a limit with a shorter
    /// `time`. The next window of the calendar is not too far away: a store finds it after its clock has stepped back, or after
    /// the zone has changed.
    fn is_too_far(&self, window: &Window) -> bool {
        let next = if self.numbers.window().is_some() { self.numbers.time } else { 0 };
        window.end > self.end_of_window(self.now) + next + self.numbers.wait
    }

    /// A window that is too far away starts now, and a window of the calendar has started.
    fn begin(&self, window: &Window) -> u64 {
        let begun = self.numbers.window().is_some() || self.is_too_far(window);
        if begun { self.now } else { window.end.saturating_sub(self.numbers.time) }
    }

    fn is_ahead(&self, window: &Window) -> bool {
        self.begin(window) > self.now
    }

    fn free(&self, window: &Window) -> i128 {
        i128::from(self.numbers.count) - i128::from(window.used)
    }

    /// The start of the window that takes this cost: the last window, or a new window after it.
    fn place(&self, cost: u32) -> u64 {
        match &self.last {
            None => self.now,
            Some(last) if i128::from(cost) <= self.free(last) => self.begin(last),
            Some(last) => last.end,
        }
    }

    /// Charges the last window, or a new window that starts at `begin` if the last window has ended by then.
    fn put(&mut self, begin: u64, units: u32) {
        let (end, used) = match self.last.filter(|last| last.end > begin) {
            // A window that was started under another limit keeps its end. If that end is too far away, the window ends as if
            // it started now.
            Some(last) if self.is_too_far(&last) => (self.end_of_window(self.now), last.used),
            Some(last) => (last.end, last.used),
            None => (self.end_of_window(begin), 0),
        };
        self.last = Some(Window { end, used: used + u64::from(units) });
    }
}

impl Turns for Counter {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        self.now = now / 1000;
        self.last = self.last.filter(|window| window.end > self.now);
    }

    fn turn(&self, cost: u32) -> u64 {
        self.place(cost).saturating_sub(self.now)
    }

    fn remaining(&self) -> u32 {
        match &self.last {
            None => self.numbers.count,
            Some(last) if self.is_ahead(last) => 0,
            Some(last) => saturated(self.free(last)),
        }
    }

    fn reset_after(&self) -> u64 {
        self.last.map_or(0, |last| last.end - self.now)
    }

    fn charge(&mut self, cost: u32) -> u64 {
        self.put(self.place(cost), cost);
        self.last.unwrap().end
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        match &mut self.last {
            Some(last) if last.end == stamp => {
                let back = last.used.min(units.into());
                last.used -= back;
                u32::try_from(back).unwrap()
            }
            _ => 0,
        }
    }

    fn room(&self) -> i64 {
        let room = match &self.last {
            None => i128::from(self.numbers.count),
            Some(last) if self.is_ahead(last) => self.free(last).min(0),
            Some(last) => self.free(last),
        };
        i64::try_from(room).unwrap()
    }

    fn charge_at(&mut self, cost: u32, turn: u64) -> u64 {
        if self.last.is_some_and(|last| last.end > self.now + turn) {
            return self.charge(cost);
        }
        self.put(self.now + turn, cost);
        self.last.unwrap().end
    }

    fn use_up(&mut self, ms: u64) {
        let end = self.now + ms;
        if self.last.is_none_or(|last| last.end < end) {
            self.last = Some(Window { end, used: self.numbers.count.into() });
        }
    }

    fn force(&mut self, units: u32) {
        let begin = self.last.map_or(self.now, |last| self.begin(&last));
        self.put(begin, units);
    }

    /// The last window keeps its end.
    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }
}
