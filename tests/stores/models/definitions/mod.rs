//! The algorithms as textbooks define them: explicit windows, levels, cells, timestamps and permits. No anchors, TTLs
//! or packed integers.
//!
//! This code is plain and slow. Time never goes back. When the limit of a key changes, what was charged stays.

mod bucket;
mod concurrency;
mod counter;
mod leaky;
mod log;
mod promises;
mod window;

use ratelimit::store::Mode;
use ratelimit::{Limit, Refill};
use std::fmt::Debug;
use std::time::Duration;

/// The decision that a store must make. Times are in ms; the stamp of a log is in µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) allowed: bool,
    pub(crate) delay: u64,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// For a refusal. `None` means never.
    pub(crate) retry_after: Option<u64>,
    pub(crate) reset_after: u64,
    /// Finds the charge again when units are returned. Zero without a charge.
    pub(crate) stamp: u64,
}

/// A limit under one key. Arguments of times are in µs. The `Debug` text shows the whole state.
pub(crate) trait Definition: Debug {
    /// Decides a request. `id` names a permit, if the algorithm has permits.
    fn decide(&mut self, now: u64, mode: Mode, cost: u32, id: u64) -> Answer;
    /// Returns up to `units` of the charge with this stamp. Returns the number of returned units.
    fn give(&mut self, now: u64, units: u32, stamp: u64) -> u32;
    /// Charges units unconditionally. Returns the number of charged units.
    fn take(&mut self, now: u64, units: u32) -> u32;
    /// Renews the lease of a permit. Returns its units.
    fn renew(&mut self, _now: u64, _id: u64) -> u32 {
        0
    }
    /// Continues with other numbers of the same algorithm, which have the same `wait` if calls can wait. The `time` of a sliding
    /// window must stay, too.
    fn change(&mut self, numbers: Numbers);
    fn copy(&self) -> Box<dyn Definition>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Greedy,
    Interval,
    /// A leaky bucket: a meter without `wait`, a queue with it.
    Leaky,
    Window,
    Log,
    Concurrency,
}

/// The numbers of a limit, with times in ms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) kind: Kind,
    pub(crate) count: u32,
    pub(crate) time: u64,
    pub(crate) burst: u32,
    pub(crate) borrow: u32,
    pub(crate) wait: u64,
}

impl Numbers {
    pub(crate) const fn new(kind: Kind, count: u32, time: u64) -> Self {
        Self { kind, count, time, burst: count, borrow: 0, wait: 0 }
    }

    pub(crate) const fn burst(self, burst: u32) -> Self {
        Self { burst, ..self }
    }

    pub(crate) const fn borrow(self, borrow: u32) -> Self {
        Self { borrow, ..self }
    }

    pub(crate) const fn wait(self, wait: u64) -> Self {
        Self { wait, ..self }
    }

    pub(crate) const fn is_queue(&self) -> bool {
        matches!(self.kind, Kind::Leaky) && self.wait > 0
    }

    /// The most units that the limit can hold at once.
    pub(crate) fn capacity(&self) -> u32 {
        match self.kind {
            Kind::Greedy | Kind::Interval => self.burst + self.borrow,
            Kind::Leaky if self.is_queue() => {
                u32::try_from(1 + u128::from(self.wait) * u128::from(self.count) / u128::from(self.time))
                    .unwrap()
            }
            Kind::Leaky => self.burst,
            Kind::Counter | Kind::Window | Kind::Log | Kind::Concurrency => self.count,
        }
    }

    /// The longest time for which a store may store the state, in ms.
    pub(crate) fn longest_ttl(&self) -> u64 {
        let (capacity, count) = (u64::from(self.capacity()), u64::from(self.count));
        let refill = match self.kind {
            // The last call has waited, and a penalty takes as much again.
            Kind::Leaky if self.is_queue() => self.wait + self.time.div_ceil(count),
            Kind::Greedy | Kind::Leaky => (capacity * self.time).div_ceil(count),
            Kind::Interval => capacity.div_ceil(count) * self.time,
            Kind::Counter | Kind::Window | Kind::Log | Kind::Concurrency => 0,
        };
        match self.kind {
            Kind::Window if self.wait > 0 => 2 * self.time + self.wait,
            _ => 2 * self.time.max(refill).max(self.wait) + 1000,
        }
    }

    pub(crate) fn limit(&self) -> Limit {
        let (count, time, wait) =
            (self.count, Duration::from_millis(self.time), Duration::from_millis(self.wait));
        let bucket = || Limit::token_bucket(count, time).burst(self.burst).borrow(self.borrow);
        let limit = match self.kind {
            Kind::Counter => Limit::counter(count, time),
            Kind::Greedy => bucket(),
            Kind::Interval => bucket().refill(Refill::Interval),
            Kind::Leaky if self.is_queue() => Limit::leaky_bucket(count, time),
            Kind::Leaky => Limit::leaky_bucket(count, time).burst(self.burst),
            Kind::Window => Limit::sliding_window(count, time),
            Kind::Log => Limit::sliding_log(count, time),
            Kind::Concurrency => Limit::concurrency(count, time),
        };
        limit.wait(wait)
    }

    /// The limit under an unused key.
    pub(crate) fn definition(self) -> Box<dyn Definition> {
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

/// An algorithm in which each request has a turn.
trait Turns {
    fn numbers(&self) -> &Numbers;
    /// Advances the time to `now`, in µs.
    fn pass_to(&mut self, now: u64);
    /// The time until this cost has its turn, if no other call comes.
    fn turn(&self, cost: u32) -> u64;
    fn remaining(&self) -> u32;
    fn reset_after(&self) -> u64;
    /// Charges at the turn. Returns the stamp.
    fn charge(&mut self, cost: u32) -> u64;
    fn give(&mut self, units: u32, stamp: u64) -> u32;
    /// The free units, rounded down. Negative if more than the capacity is in use.
    fn room(&self) -> i64;
    /// Charges now, even without free units.
    fn force(&mut self, units: u32);
    /// Continues with other numbers.
    fn change(&mut self, numbers: Numbers);
}

impl<T: Turns + Clone + Debug + 'static> Definition for T {
    fn decide(&mut self, now: u64, mode: Mode, cost: u32, _id: u64) -> Answer {
        self.pass_to(now);
        let limit = self.numbers().capacity();
        let patience = if mode == Mode::Charge { self.numbers().wait } else { 0 };
        let turn = (cost <= limit).then(|| self.turn(cost));
        let allowed = turn.is_some_and(|turn| turn <= patience);
        let charge = (allowed && mode != Mode::Peek && cost > 0).then(|| self.charge(cost));
        Answer {
            allowed,
            delay: turn.filter(|_| allowed).unwrap_or(0),
            limit,
            remaining: self.remaining(),
            retry_after: turn.filter(|_| !allowed),
            reset_after: self.reset_after(),
            stamp: charge.filter(|_| mode == Mode::Charge).unwrap_or(0),
        }
    }

    fn give(&mut self, now: u64, units: u32, stamp: u64) -> u32 {
        self.pass_to(now);
        Turns::give(self, units, stamp)
    }

    fn take(&mut self, now: u64, units: u32) -> u32 {
        self.pass_to(now);
        let most = self.room() + i64::from(self.numbers().capacity());
        let units = u32::try_from(i64::from(units).min(most).max(0)).unwrap();
        if units > 0 {
            self.force(units);
        }
        units
    }

    fn change(&mut self, numbers: Numbers) {
        Turns::change(self, numbers);
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(self.clone())
    }
}

fn saturated(units: i128) -> u32 {
    u32::try_from(units.max(0)).unwrap()
}

/// A limit whose `count` or `burst` is zero. It refuses everything.
#[derive(Clone, Debug)]
struct Nothing {
    capacity: u32,
}

impl Definition for Nothing {
    fn decide(&mut self, _now: u64, _mode: Mode, _cost: u32, _id: u64) -> Answer {
        Answer {
            allowed: false,
            delay: 0,
            limit: self.capacity,
            remaining: 0,
            retry_after: None,
            reset_after: 0,
            stamp: 0,
        }
    }

    fn give(&mut self, _now: u64, _units: u32, _stamp: u64) -> u32 {
        0
    }

    fn take(&mut self, _now: u64, _units: u32) -> u32 {
        0
    }

    fn change(&mut self, numbers: Numbers) {
        self.capacity = numbers.capacity();
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(self.clone())
    }
}
