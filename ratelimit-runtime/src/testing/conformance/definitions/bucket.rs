//! Token bucket: a level that leaks continuously (greedy) or in steps (interval). The greedy bucket also defines a leaky bucket
//! without `wait`.

use super::{Numbers, Turns, saturated};

/// The time until a charge with this stamp has leaked. `None` if the charge can no longer be returned. The stamp of the last
/// charge is the time at which the level reaches zero. `last_only`: calls wait for turns, so only the last charge can be
/// returned.
pub(super) fn left_until(stamp: u64, now: u64, reset: u64, last_only: bool) -> Option<u64> {
    let left = stamp.checked_sub(now)?;
    (left == reset || !last_only).then_some(left)
}

/// Units, and the time from which on they leak. They are the units that were charged since nothing was in use, or the
/// level that a pause leaves at its end. The end of a pause may be in the future. After a change of the limit, the leak between
/// this time and now is computed again at the new rate.
#[derive(Clone, Debug, Default)]
pub(super) struct Since {
    /// The time of the first charge after nothing was in use, or the end of the pause, in ms.
    time: u64,
    units: u64,
}

impl Since {
    pub(super) fn charge(&mut self, units: u32, was_unused: bool, now: u64) {
        if was_unused {
            *self = Self { time: now, units: 0 };
        }
        self.units += u64::from(units);
    }

    /// Sets the level that remains at the end of a pause, in ms.
    pub(super) fn use_up(&mut self, units: u64, end: u64) {
        *self = Self { time: end, units };
    }

    /// Removes returned units. `is_unused`: nothing is in use after the return.
    pub(super) fn give(&mut self, units: u32, is_unused: bool) {
        self.units = if is_unused { 0 } else { self.units.saturating_sub(units.into()) };
    }

    /// The level of a bucket that leaks continuously, in fractions of a unit with the denominator `time`.
    pub(super) fn level(&self, numbers: &Numbers, now: u64) -> u128 {
        let charged = i128::from(self.units) * i128::from(numbers.time);
        let passed = i128::from(now) - i128::from(self.time);
        u128::try_from(charged - passed * i128::from(numbers.count)).unwrap_or(0)
    }
}

/// A bucket that leaks `count` units per `time`. The level is a fraction with the denominator `time`.
#[derive(Clone, Debug)]
pub(super) struct Greedy {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    level: u128,
    since: Since,
}

impl Greedy {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, level: 0, since: Since::default() }
    }

    fn parts(&self, units: u32) -> u128 {
        u128::from(units) * u128::from(self.numbers.time)
    }

    fn capacity(&self) -> u128 {
        self.parts(self.numbers.capacity())
    }

    fn until_leaked(&self, parts: u128) -> u64 {
        u64::try_from(parts.div_ceil(u128::from(self.numbers.count))).unwrap()
    }
}

impl Turns for Greedy {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        let passed = now / 1000 - self.now;
        self.level = self.level.saturating_sub(u128::from(passed) * u128::from(self.numbers.count));
        self.now = now / 1000;
    }

    fn turn(&self, cost: u32) -> u64 {
        self.until_leaked((self.level + self.parts(cost)).saturating_sub(self.capacity()))
    }

    fn remaining(&self) -> u32 {
        saturated(self.room().into())
    }

    fn reset_after(&self) -> u64 {
        self.until_leaked(self.level)
    }

    fn charge(&mut self, cost: u32) -> u64 {
        self.force(cost);
        self.now + self.reset_after()
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let Some(left) = left_until(stamp, self.now, self.reset_after(), self.level > self.capacity())
            .filter(|_| self.level > 0)
        else {
            return 0;
        };
        let still_in_use = u128::from(left) * u128::from(self.numbers.count);
        let back = self.parts(units).min(still_in_use).min(self.level);
        if still_in_use < self.parts(units) && back < self.level {
            // A part of the charge has leaked. An earlier start makes the rest of the charge leak now.
            self.since.time -= left;
        } else {
            self.since.give(units, back == self.level);
        }
        self.level -= back;
        u32::try_from(back.div_ceil(u128::from(self.numbers.time))).unwrap()
    }

    fn room(&self) -> i64 {
        let free = i128::try_from(self.capacity()).unwrap() - i128::try_from(self.level).unwrap();
        i64::try_from(free.div_euclid(self.numbers.time.into())).unwrap()
    }

    fn use_up(&mut self, ms: u64) {
        let level = self.capacity() + u128::from(ms) * u128::from(self.numbers.count);
        if level > self.level {
            self.level = level;
            self.since.use_up(self.numbers.capacity().into(), self.now + ms);
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

/// A bucket that gets `count` units back at the end of each `time`. The first step begins with the call that found
/// nothing in use.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    level: u64,
    /// The end of the current step in ms, while the level is above zero.
    step: u64,
    since: Since,
}

impl Interval {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, level: 0, step: 0, since: Since::default() }
    }

    fn capacity(&self) -> u64 {
        self.numbers.capacity().into()
    }

    fn until_back(&self, units: u64) -> u64 {
        match units.div_ceil(self.numbers.count.into()) {
            0 => 0,
            steps => self.step - self.now + (steps - 1) * self.numbers.time,
        }
    }

    fn steps_until(&self, then: u64) -> u64 {
        if then < self.step { 0 } else { 1 + (then - self.step) / self.numbers.time }
    }
}

impl Turns for Interval {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        self.now = now / 1000;
        while self.level > 0 && self.step <= self.now {
            self.level = self.level.saturating_sub(self.numbers.count.into());
            self.step += self.numbers.time;
        }
    }

    fn turn(&self, cost: u32) -> u64 {
        self.until_back((self.level + u64::from(cost)).saturating_sub(self.capacity()))
    }

    fn remaining(&self) -> u32 {
        saturated(self.room().into())
    }

    fn reset_after(&self) -> u64 {
        self.until_back(self.level)
    }

    fn charge(&mut self, cost: u32) -> u64 {
        self.force(cost);
        self.now + self.reset_after()
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let Some(left) = left_until(stamp, self.now, self.reset_after(), self.level > self.capacity())
            .filter(|_| self.level > 0)
        else {
            return 0;
        };
        let steps = if left == 0 { 0 } else { self.steps_until(self.now + left) };
        let still_in_use = steps * u64::from(self.numbers.count);
        let back = u64::from(units).min(still_in_use).min(self.level);
        self.since.give(u32::try_from(back).unwrap(), back == self.level);
        self.level -= back;
        u32::try_from(back).unwrap()
    }

    fn room(&self) -> i64 {
        i64::try_from(self.capacity()).unwrap() - i64::try_from(self.level).unwrap()
    }

    fn use_up(&mut self, ms: u64) {
        let steps = ms.div_ceil(self.numbers.time);
        let level = self.capacity() + steps * u64::from(self.numbers.count);
        if level > self.level {
            (self.level, self.step) = (level, self.now + ms - (steps - 1) * self.numbers.time);
            self.since.use_up(self.capacity(), self.now + ms);
        }
    }

    fn force(&mut self, units: u32) {
        if self.level == 0 {
            self.step = self.now + self.numbers.time;
        }
        self.since.charge(units, self.level == 0, self.now);
        self.level += u64::from(units);
    }

    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        let [time, now, since] = [numbers.time, self.now, self.since.time].map(u64::cast_signed);
        let steps = (now - since).div_euclid(time);
        let left = i128::from(self.since.units) - i128::from(steps) * i128::from(numbers.count);
        self.level = u64::try_from(left.max(0)).unwrap();
        self.step = (since + (steps + 1) * time).cast_unsigned();
    }
}
