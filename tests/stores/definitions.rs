//! The algorithms as they are defined: no anchors, no TTLs, no packed integers.
//!
//! Written from the definitions alone. A limit never changes here, and time never goes back.

use ratelimit::{Decision, Limit};
use std::time::Duration;

/// A limit under one key.
pub(crate) trait Definition {
    /// Lets time pass, to `now` ms.
    fn pass_to(&mut self, now: u64);
    /// Units free now, and ms until `cost` fits (`None`: never) and until nothing is in use.
    fn look(&self, cost: u32) -> (u32, Option<u64>, u64);
    fn charge(&mut self, cost: u32);
}

/// What a store has to answer for a request that stands for itself.
pub(crate) fn decide(
    definition: &mut dyn Definition,
    limit: &Limit,
    now: u64,
    cost: u32,
    charge: bool,
) -> Decision {
    definition.pass_to(now);
    let (free, wait, reset) = definition.look(cost);
    let ms = Duration::from_millis;
    match wait {
        Some(0) if charge && cost > 0 => {
            definition.charge(cost);
            let (free, _, reset) = definition.look(0);
            Decision::allow(limit, free, ms(reset))
        }
        Some(0) => Decision::allow(limit, free, ms(reset)),
        wait => Decision::refuse(limit, free, wait.map(ms), ms(reset)),
    }
}

/// At most `count` in a window of `time` that starts with its first charged call.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) count: u32,
    pub(crate) time: u64,
    pub(crate) now: u64,
    /// When the window has started, and what was charged in it.
    pub(crate) window: Option<(u64, u32)>,
}

impl Definition for Counter {
    fn pass_to(&mut self, now: u64) {
        self.now = now;
        self.window = self.window.filter(|(start, _)| now < start + self.time);
    }

    fn look(&self, cost: u32) -> (u32, Option<u64>, u64) {
        let (ends_in, used) =
            self.window.map_or((0, 0), |(start, used)| (start + self.time - self.now, used));
        let free = self.count - used;
        let wait = if cost <= free { Some(0) } else { Some(ends_in).filter(|_| cost <= self.count) };
        (free, wait, ends_in)
    }

    fn charge(&mut self, cost: u32) {
        let (start, used) = self.window.unwrap_or((self.now, 0));
        self.window = Some((start, used + cost));
    }
}

/// A bucket that leaks `count` per `time` continuously; the level is a fraction with denominator `time`.
#[derive(Clone)]
pub(crate) struct Greedy {
    pub(crate) count: u32,
    pub(crate) time: u64,
    pub(crate) burst: u32,
    pub(crate) now: u64,
    pub(crate) level: u128,
}

impl Greedy {
    fn until(&self, level: u128) -> u64 {
        u64::try_from(level.div_ceil(u128::from(self.count))).unwrap()
    }
}

impl Definition for Greedy {
    fn pass_to(&mut self, now: u64) {
        let leaked = u128::from(now - self.now) * u128::from(self.count);
        self.level = self.level.saturating_sub(leaked);
        self.now = now;
    }

    fn look(&self, cost: u32) -> (u32, Option<u64>, u64) {
        let token = u128::from(self.time);
        let capacity = u128::from(self.burst) * token;
        let free = u32::try_from((capacity - self.level) / token).unwrap();
        let over = (self.level + u128::from(cost) * token).saturating_sub(capacity);
        let wait = (cost <= self.burst).then(|| self.until(over));
        (free, wait, self.until(self.level))
    }

    fn charge(&mut self, cost: u32) {
        self.level += u128::from(cost) * u128::from(self.time);
    }
}

/// A bucket that gets `count` back at the end of each `time`, counted from the call that found it full.
#[derive(Clone)]
pub(crate) struct Interval {
    pub(crate) count: u32,
    pub(crate) time: u64,
    pub(crate) burst: u32,
    pub(crate) now: u64,
    pub(crate) taken: u32,
    /// The end of the running step.
    pub(crate) step: u64,
}

impl Interval {
    fn until(&self, back: u32) -> u64 {
        match back.div_ceil(self.count) {
            0 => 0,
            steps => self.step - self.now + u64::from(steps - 1) * self.time,
        }
    }
}

impl Definition for Interval {
    fn pass_to(&mut self, now: u64) {
        while self.taken > 0 && self.step <= now {
            self.taken = self.taken.saturating_sub(self.count);
            self.step += self.time;
        }
        self.now = now;
    }

    fn look(&self, cost: u32) -> (u32, Option<u64>, u64) {
        let free = self.burst - self.taken;
        let wait = (cost <= self.burst).then(|| self.until(cost.saturating_sub(free)));
        (free, wait, self.until(self.taken))
    }

    fn charge(&mut self, cost: u32) {
        if self.taken == 0 {
            self.step = self.now + self.time;
        }
        self.taken += cost;
    }
}
