//! Leaky bucket as a queue: a call leaves the queue when everything before it has leaked. Without `wait`, a leaky bucket is
//! defined as a greedy bucket.

use super::bucket::{Since, left_until};
use super::{Numbers, Turns, saturated};

/// A queue that leaks `count` units per `time`. The level is a fraction with the denominator `time`.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    level: u128,
    since: Since,
}

impl Queue {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, level: 0, since: Since::default() }
    }

    fn parts(&self, units: u32) -> u128 {
        u128::from(units) * u128::from(self.numbers.time)
    }
}

impl Turns for Queue {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        let passed = now / 1000 - self.now;
        self.level = self.level.saturating_sub(u128::from(passed) * u128::from(self.numbers.count));
        self.now = now / 1000;
    }

    fn turn(&self, _cost: u32) -> u64 {
        self.reset_after()
    }

    /// If fewer than `cost + keep` places are free, returns the time until the last of `cost + keep` units would have its turn.
    fn turn_keeping(&self, cost: u32, keep: u32) -> u64 {
        if keep == 0 || i64::from(cost + keep) <= self.room() {
            return self.turn(cost);
        }
        let until_last = self.level + self.parts(cost + keep - 1);
        u64::try_from(until_last.div_ceil(self.numbers.count.into())).unwrap()
    }

    fn remaining(&self) -> u32 {
        saturated(self.room().into())
    }

    fn reset_after(&self) -> u64 {
        u64::try_from(self.level.div_ceil(self.numbers.count.into())).unwrap()
    }

    fn charge(&mut self, cost: u32) -> u64 {
        self.force(cost);
        self.now + self.reset_after()
    }

    /// Later calls wait for earlier ones, so only the last charge can be returned.
    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let Some(left) = left_until(stamp, self.now, self.reset_after(), true).filter(|_| self.level > 0)
        else {
            return 0;
        };
        let still_in_use = u128::from(left) * u128::from(self.numbers.count);
        let back = self.parts(units).min(still_in_use).min(self.level);
        self.since.give(units, self.level == back);
        self.level -= back;
        u32::try_from(back.div_ceil(u128::from(self.numbers.time))).unwrap()
    }

    /// There is a place for the call that is served now, and for all calls that the rate can serve within `wait`.
    fn room(&self) -> i64 {
        let within_wait = i128::from(self.numbers.wait) * i128::from(self.numbers.count);
        let free = within_wait - i128::try_from(self.level).unwrap();
        i64::try_from(free.div_euclid(self.numbers.time.into())).unwrap() + 1
    }

    fn use_up(&mut self, ms: u64) {
        let level = u128::from(ms) * u128::from(self.numbers.count);
        if level > self.level {
            self.level = level;
            self.since.use_up(0, self.now + ms);
        }
    }

    fn force(&mut self, units: u32) {
        self.since.charge(units, self.level == 0, self.now);
        self.level += self.parts(units);
    }

    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.level = self.since.level(&self.numbers, self.now);
    }
}
