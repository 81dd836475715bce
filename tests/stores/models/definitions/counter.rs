//! Counter: at most `count` units in each window. A window starts with its first charged call.

use super::{Numbers, Turns, saturated};

#[derive(Clone, Debug)]
pub(super) struct Counter {
    numbers: Numbers,
    /// In ms.
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

    /// The start of a window. If the limit has become so short that it could not lie there, it has begun now.
    fn begin(&self, window: &Window) -> u64 {
        let Numbers { time, wait, .. } = self.numbers;
        if window.end > self.now + time + wait { self.now } else { window.end.saturating_sub(time) }
    }

    fn is_ahead(&self, window: &Window) -> bool {
        self.begin(window) > self.now
    }

    fn free(&self, window: &Window) -> i128 {
        i128::from(self.numbers.count) - i128::from(window.used)
    }

    /// The start of the window that takes this cost: the last window, or a new one after it.
    fn place(&self, cost: u32) -> u64 {
        match &self.last {
            None => self.now,
            Some(last) if i128::from(cost) <= self.free(last) => self.begin(last),
            Some(last) => last.end,
        }
    }

    fn put(&mut self, begin: u64, units: u32) {
        let before = self.last.filter(|last| last.end > begin);
        let (begin, used) = before.map_or((begin, 0), |last| (self.begin(&last), last.used));
        self.last = Some(Window { end: begin + self.numbers.time, used: used + u64::from(units) });
        // A window of a shorter limit keeps its end.
        if let (Some(last), Some(before)) = (&mut self.last, before) {
            last.end = last.end.min(before.end);
        }
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

    fn force(&mut self, units: u32) {
        let begin = self.last.map_or(self.now, |last| self.begin(&last));
        self.put(begin, units);
    }

    /// The last window keeps its end.
    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }
}
