//! Counter: at most `count` units in each window. A window starts with its first charged call, and ends after `time` or with the
//! calendar.

use super::calendar::{end_of, offset};
use super::{Numbers, Turns, saturated};

pub(super) struct Counter {
    numbers: Numbers,
    /// In ms.
    now: u64,
    /// The windows that have not ended, in order. Later ones may lie in the future.
    windows: Vec<Window>,
}

#[derive(Clone, Copy)]
struct Window {
    begin: u64,
    end: u64,
    used: u64,
}

impl Counter {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, windows: Vec::new() }
    }

    fn window_from(&self, begin: u64) -> Window {
        let end = match self.numbers.window() {
            Some((window, zone)) => end_of(window, offset(zone), begin),
            None => begin + self.numbers.time,
        };
        Window { begin, end, used: 0 }
    }

    fn free(&self, window: &Window) -> i128 {
        i128::from(self.numbers.count) - i128::from(window.used)
    }

    /// Whether a long pause has moved the window further away than calls wait.
    fn is_too_far(&self, window: &Window) -> bool {
        window.end - self.now > self.numbers.time + self.numbers.wait
    }

    /// The start of the window that takes this cost: the last window, or a new one after it.
    fn place(&self, cost: u32) -> u64 {
        match self.windows.last() {
            None => self.now,
            Some(last) if i128::from(cost) <= self.free(last) && self.is_too_far(last) => self.now,
            Some(last) if i128::from(cost) <= self.free(last) => last.begin,
            Some(last) => last.end,
        }
    }

    fn put(&mut self, begin: u64, units: u32) {
        if self.windows.last().is_none_or(|last| last.begin < begin) {
            self.windows.push(self.window_from(begin));
        }
        self.windows.last_mut().unwrap().used += u64::from(units);
    }
}

impl Turns for Counter {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        self.now = now / 1000;
        self.windows.retain(|window| window.end > self.now);
    }

    fn turn(&self, cost: u32) -> u64 {
        self.place(cost).saturating_sub(self.now)
    }

    fn remaining(&self) -> u32 {
        match self.windows.last() {
            None => self.numbers.count,
            Some(last) if last.begin > self.now => 0,
            Some(last) => saturated(self.free(last)),
        }
    }

    fn reset_after(&self) -> u64 {
        self.windows.last().map_or(0, |last| last.end - self.now)
    }

    fn charge(&mut self, cost: u32) -> u64 {
        self.put(self.place(cost), cost);
        self.windows.last().unwrap().end
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        match self.windows.last_mut() {
            Some(last) if last.end == stamp => {
                let back = last.used.min(units.into());
                last.used -= back;
                u32::try_from(back).unwrap()
            }
            _ => 0,
        }
    }

    fn room(&self) -> i64 {
        let room = match self.windows.last() {
            None => i128::from(self.numbers.count),
            Some(last) if last.begin > self.now => self.free(last).min(0),
            Some(last) => self.free(last),
        };
        i64::try_from(room).unwrap()
    }

    fn charge_at(&mut self, cost: u32, turn: u64) -> u64 {
        match self.windows.last() {
            Some(last) if last.end > self.now + turn => return self.charge(cost),
            _ => self.put(self.now + turn, cost),
        }
        self.windows.last().unwrap().end
    }

    fn use_up(&mut self, ms: u64) {
        let end = self.now + ms;
        if self.windows.last().is_none_or(|last| last.end < end) {
            let begin = end.saturating_sub(self.numbers.time);
            self.windows = vec![Window { begin, end, used: self.numbers.count.into() }];
        }
    }

    fn force(&mut self, units: u32) {
        // A window that a long pause has moved too far away begins now.
        if self.windows.last().is_some_and(|last| self.is_too_far(last)) {
            let used = self.windows.last().unwrap().used;
            self.windows = vec![Window { used, ..self.window_from(self.now) }];
        }
        let begin = self.windows.last().map_or(self.now, |last| last.begin);
        self.put(begin, units);
    }
}
