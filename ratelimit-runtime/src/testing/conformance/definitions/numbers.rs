//! The numbers of a limit, and the limit and the definition that they make.

use super::{Definition, Nothing, bucket, concurrency, counter, gate, leaky, log, window};
use crate::limit::{Calendar, Limit, Refill};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Greedy,
    Interval,
    /// A leaky bucket. Without `wait` it is a meter, with `wait` it is a queue.
    Leaky,
    Window,
    Log,
    Concurrency,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Counter,
        Self::Greedy,
        Self::Interval,
        Self::Leaky,
        Self::Window,
        Self::Log,
        Self::Concurrency,
    ];
}

/// The numbers of a limit, with times in ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub kind: Kind,
    pub count: u32,
    pub time: u64,
    pub burst: u32,
    pub borrow: u32,
    pub wait: u64,
    /// A window of the calendar and its zone: `month +01:00`. With a calendar, `time` is the length of the longest window.
    pub calendar: Option<&'static str>,
    /// The steps of a block. Zeros follow the last step.
    pub block: [u64; 3],
}

impl Numbers {
    pub const fn new(kind: Kind, count: u32, time: u64) -> Self {
        Self { kind, count, time, burst: count, borrow: 0, wait: 0, calendar: None, block: [0; 3] }
    }

    pub const fn burst(self, burst: u32) -> Self {
        Self { burst, ..self }
    }

    pub const fn borrow(self, borrow: u32) -> Self {
        Self { borrow, ..self }
    }

    pub const fn wait(self, wait: u64) -> Self {
        Self { wait, ..self }
    }

    pub const fn calendar(self, window: &'static str) -> Self {
        Self { calendar: Some(window), ..self }
    }

    /// The window of the calendar and the offset of its zone.
    pub fn window(&self) -> Option<(&'static str, &'static str)> {
        self.calendar.map(|window| window.split_once(' ').unwrap())
    }

    pub const fn block(self, block: [u64; 3]) -> Self {
        Self { block, ..self }
    }

    /// Whether the state has a place for a block or a pause.
    pub const fn takes_block(&self) -> bool {
        !matches!(self.kind, Kind::Log | Kind::Concurrency)
    }

    pub const fn is_queue(&self) -> bool {
        matches!(self.kind, Kind::Leaky) && self.wait > 0
    }

    /// Returns the maximum number of units that the limit can hold at once.
    pub fn capacity(&self) -> u32 {
        match self.kind {
            Kind::Greedy | Kind::Interval => self.burst + self.borrow,
            Kind::Leaky if self.is_queue() && self.count == 0 => 0,
            Kind::Leaky if self.is_queue() => {
                u32::try_from(1 + u128::from(self.wait) * u128::from(self.count) / u128::from(self.time))
                    .unwrap()
            }
            Kind::Leaky => self.burst,
            Kind::Counter | Kind::Window | Kind::Log | Kind::Concurrency => self.count,
        }
    }

    /// Returns the longest lifetime that a store may give the state, in ms.
    pub fn longest_ttl(&self) -> u64 {
        let (capacity, count) = (u64::from(self.capacity()), u64::from(self.count));
        let refill = match self.kind {
            // The last call may have waited. A penalty may take as many units once more, so this time is doubled below.
            Kind::Leaky if self.is_queue() => self.wait + self.time.div_ceil(count),
            Kind::Greedy | Kind::Leaky => (capacity * self.time).div_ceil(count),
            Kind::Interval => capacity.div_ceil(count) * self.time,
            Kind::Counter | Kind::Window | Kind::Log | Kind::Concurrency => 0,
        };
        // The time of a block, and the time until the block is forgotten.
        let gate = 2 * self.block.into_iter().max().unwrap_or(0);
        gate + match self.kind {
            Kind::Window if self.wait > 0 => 2 * self.time + self.wait,
            _ => 2 * self.time.max(refill).max(self.wait) + 1000,
        }
    }

    pub fn limit(&self) -> Limit {
        self.try_limit().unwrap()
    }

    /// Returns the limit. `None` if a number is out of range.
    pub fn try_limit(&self) -> Option<Limit> {
        let (count, time, wait) =
            (self.count, Duration::from_millis(self.time), Duration::from_millis(self.wait));
        let bucket = || Limit::try_token_bucket(count, time)?.try_burst(self.burst)?.try_borrow(self.borrow);
        let limit = match self.kind {
            Kind::Counter => match self.window() {
                Some((window, zone)) => Limit::try_calendar(count, Calendar::named(window)?)
                    .and_then(|limit| limit.try_zone(zone)),
                None => Limit::try_counter(count, time),
            },
            Kind::Greedy => bucket(),
            Kind::Interval => bucket().and_then(|limit| limit.try_refill(Refill::Interval)),
            Kind::Leaky if self.is_queue() => Limit::try_leaky_bucket(count, time),
            Kind::Leaky => Limit::try_leaky_bucket(count, time).and_then(|limit| limit.try_burst(self.burst)),
            Kind::Window => Limit::try_sliding_window(count, time),
            Kind::Log => Limit::try_sliding_log(count, time),
            Kind::Concurrency => Limit::try_concurrency(count, time),
        };
        let steps = self.block.into_iter().filter(|step| *step > 0).map(Duration::from_millis);
        limit.and_then(|limit| limit.try_wait(wait)?.try_block(&steps.collect::<Vec<_>>())).ok()
    }

    /// Whether the outcomes are determined if a limit with these numbers follows a limit of the same algorithm under a key.
    /// `is_young`: no unit was charged before the present time. `was_paused`: the limit has been paused. Stores may forget
    /// the times of single charges and of pauses, and a state that the earlier limit no longer needs.
    pub fn may_follow(&self, earlier: &Self, is_young: bool, was_paused: bool) -> bool {
        if was_paused {
            return Self { block: earlier.block, ..*self } == *earlier;
        }
        let rate = |count: u32, time: u64| u64::from(count).saturating_mul(time);
        let is_faster = rate(self.count, earlier.time) >= rate(earlier.count, self.time);
        let same_rate = self.count == earlier.count && self.time == earlier.time;
        self.wait == earlier.wait
            && match self.kind {
                Kind::Counter | Kind::Concurrency => true,
                Kind::Greedy | Kind::Interval | Kind::Leaky => same_rate || is_young && is_faster,
                Kind::Window => self.time == earlier.time,
                Kind::Log => self.time <= earlier.time,
            }
    }

    /// Creates the definition of this limit, under an unused key.
    pub fn definition(self) -> Box<dyn Definition> {
        self.after_resets(0)
    }

    /// Creates the definition of this limit, under a key that was reset so many times. Units that were charged before are not
    /// returned.
    pub fn after_resets(self, resets: u64) -> Box<dyn Definition> {
        let algorithm = self.algorithm();
        if self.takes_block() { Box::new(gate::Gate::new(&self, algorithm, resets)) } else { algorithm }
    }

    fn algorithm(self) -> Box<dyn Definition> {
        if self.count == 0 || (self.burst == 0 && !self.is_queue()) {
            return Box::new(Nothing { capacity: self.capacity() });
        }
        match self.kind {
            Kind::Counter => Box::new(counter::Counter::new(self)),
            Kind::Interval => Box::new(bucket::Interval::new(self)),
            Kind::Leaky if self.is_queue() => Box::new(leaky::Queue::new(self)),
            Kind::Greedy | Kind::Leaky => Box::new(bucket::Greedy::new(self)),
            Kind::Window => Box::new(window::Window::new(self)),
            Kind::Log => Box::new(log::Log::new(self)),
            Kind::Concurrency => Box::new(concurrency::Concurrency::new(self)),
        }
    }
}
