//! Sliding log: every unit has a timestamp, and counts for one `time` from its timestamp on.

use super::{Numbers, Turns, saturated};

/// Times are in µs.
#[derive(Clone, Debug)]
pub(super) struct Log {
    numbers: Numbers,
    now: u64,
    /// The timestamps of the units, in order. Timestamps may lie in the future. A timestamp that no longer counts is removed by
    /// the next charge.
    stamps: Vec<u64>,
}

impl Log {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, stamps: Vec::new() }
    }

    fn time(&self) -> u64 {
        self.numbers.time * 1000
    }

    fn live(&self) -> &[u64] {
        let expired = self.stamps.partition_point(|stamp| stamp + self.time() <= self.now);
        &self.stamps[expired..]
    }

    fn newest(&self) -> u64 {
        self.live().last().copied().unwrap_or(0)
    }

    fn put(&mut self, stamp: u64, units: u32) {
        self.stamps = self.live().to_vec();
        self.stamps.extend((0..units).map(|_| stamp));
    }
}

impl Turns for Log {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn pass_to(&mut self, now: u64) {
        self.now = now;
    }

    fn turn(&self, cost: u32) -> u64 {
        let over = (self.live().len() + cost as usize).saturating_sub(self.numbers.count as usize);
        let fits = if over == 0 { self.now } else { self.live()[over - 1] + self.time() };
        let at = if self.numbers.wait > 0 { fits.max(self.newest()) } else { fits };
        at.saturating_sub(self.now).div_ceil(1000)
    }

    fn remaining(&self) -> u32 {
        saturated(self.room().into())
    }

    fn reset_after(&self) -> u64 {
        if self.live().is_empty() { 0 } else { (self.newest() + self.time() - self.now).div_ceil(1000) }
    }

    fn charge(&mut self, cost: u32) -> u64 {
        let stamp = self.newest().max(self.now + self.turn(cost) * 1000);
        self.put(stamp, cost);
        stamp
    }

    fn give(&mut self, units: u32, stamp: u64) -> u32 {
        let (mut back, counts) = (0, stamp + self.time() > self.now);
        self.stamps.retain(|of_unit| {
            let goes = *of_unit == stamp && back < units;
            back += u32::from(goes);
            !goes
        });
        if counts { back } else { 0 }
    }

    fn room(&self) -> i64 {
        i64::from(self.numbers.count) - i64::try_from(self.live().len()).unwrap()
    }

    fn force(&mut self, units: u32) {
        self.put(self.newest().max(self.now), units);
    }

    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }
}
