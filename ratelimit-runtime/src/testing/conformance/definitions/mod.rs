//! The algorithms as textbooks define them, with explicit windows, levels, cells, timestamps and permits. These definitions
//! have no anchors, TTLs or packed integers.
//!
//! This code is plain and slow. Time never goes back. When the limit of a key changes, the charged units stay.

mod bound;
mod bucket;
pub mod calendar;
mod concurrency;
mod counter;
mod gate;
mod leaky;
mod log;
mod window;

pub use bound::bound;

use crate::limit::{Limit, Refill};
use crate::store::Mode;
use std::fmt::Debug;
use std::time::Duration;

/// The decision that a store must make. Times are in ms; the stamp of a log is in µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub allowed: bool,
    pub delay: u64,
    pub limit: u32,
    pub remaining: u32,
    /// For a refusal: the time after which the request would pass. `None` means never.
    pub retry_after: Option<u64>,
    pub reset_after: u64,
    /// The number by which `give` finds the charge again. Zero if nothing was charged.
    pub stamp: u64,
}

/// A limit under one key. The time `now` is in µs. The `Debug` text shows the whole state.
pub trait Definition: Debug {
    /// Decides a request. It charges `cost` units if `cost + keep` units are free. `id` names a permit, if the algorithm has
    /// permits.
    fn decide_keeping(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, id: u64) -> Answer;
    /// Decides like [`decide_keeping`](Self::decide_keeping), but the turn is not earlier than `floor` ms from now.
    fn decide_after(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, floor: u64) -> Answer {
        let _ = (now, mode, cost, keep, floor);
        unreachable!("only numbers have gates")
    }
    /// Uses up the limit for a time in ms.
    fn use_up(&mut self, _now: u64, _ms: u64) {}
    /// Decides a request that leaves no units to others.
    fn decide(&mut self, now: u64, mode: Mode, cost: u32, id: u64) -> Answer {
        self.decide_keeping(now, mode, cost, 0, id)
    }
    /// Returns up to `units` of the charge with this stamp. Returns the number of returned units.
    fn give(&mut self, now: u64, units: u32, stamp: u64) -> u32;
    /// Charges units unconditionally. Returns the number of charged units.
    fn take(&mut self, now: u64, units: u32) -> u32;
    /// Renews the lease of a permit. Returns the number of units of the permit, or 0 if the permit is not held.
    fn renew(&mut self, _now: u64, _id: u64) -> u32 {
        0
    }
    /// Blocks the callers of the key for this time in ms. Returns 1.
    fn block(&mut self, _now: u64, _ms: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Pauses the limit for this time in ms. Returns 1.
    fn pause(&mut self, _now: u64, _ms: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Returns the time in ms until a block or a pause ends.
    fn closed(&mut self, _now: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Ends a block or a pause. Returns 1 if there was one, else 0.
    fn open(&mut self, _now: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Continues with other numbers of the same algorithm. If calls can wait, `wait` must stay the same. The `time` of a
    /// sliding window must stay the same, too.
    fn change(&mut self, numbers: Numbers);
    fn copy(&self) -> Box<dyn Definition>;
}

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
#[derive(Clone, Copy, Debug)]
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
        let (count, time, wait) =
            (self.count, Duration::from_millis(self.time), Duration::from_millis(self.wait));
        let bucket = || Limit::token_bucket(count, time).burst(self.burst).borrow(self.borrow);
        let limit = match self.kind {
            Kind::Counter => match self.window() {
                Some((window, zone)) => {
                    format!("counter count={count} time={window} zone={zone}").parse().unwrap()
                }
                None => Limit::counter(count, time),
            },
            Kind::Greedy => bucket(),
            Kind::Interval => bucket().refill(Refill::Interval),
            Kind::Leaky if self.is_queue() => Limit::leaky_bucket(count, time),
            Kind::Leaky => Limit::leaky_bucket(count, time).burst(self.burst),
            Kind::Window => Limit::sliding_window(count, time),
            Kind::Log => Limit::sliding_log(count, time),
            Kind::Concurrency => Limit::concurrency(count, time),
        };
        let steps = self.block.into_iter().filter(|step| *step > 0).map(Duration::from_millis);
        limit.wait(wait).block(&steps.collect::<Vec<_>>())
    }

    /// Creates the definition of this limit, under an unused key.
    pub fn definition(self) -> Box<dyn Definition> {
        let algorithm = self.algorithm();
        if self.takes_block() { Box::new(gate::Gate::new(&self, algorithm)) } else { algorithm }
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

/// An algorithm in which each request has a turn.
trait Turns {
    fn numbers(&self) -> &Numbers;
    /// Advances the time to `now`, in µs.
    fn pass_to(&mut self, now: u64);
    /// Returns the time in ms until this cost has its turn, if no other call comes.
    fn turn(&self, cost: u32) -> u64;
    /// Returns the time in ms until this cost has its turn and leaves `keep` units to others. `cost + keep` is at most the
    /// capacity.
    fn turn_keeping(&self, cost: u32, keep: u32) -> u64 {
        self.turn(cost + keep)
    }
    fn remaining(&self) -> u32;
    fn reset_after(&self) -> u64;
    /// Charges the cost at its turn. Returns the stamp.
    fn charge(&mut self, cost: u32) -> u64;
    fn give(&mut self, units: u32, stamp: u64) -> u32;
    /// Returns the number of free units, rounded down. It is negative if more than the capacity is in use.
    fn room(&self) -> i64;
    /// Charges units now, even if they are not free.
    fn force(&mut self, units: u32);
    /// Charges the cost at a turn, which may be later than [`turn`](Self::turn). Returns the stamp.
    fn charge_at(&mut self, cost: u32, _turn: u64) -> u64 {
        self.charge(cost)
    }
    /// Uses up the limit for a time in ms, unless it is already used up for longer.
    fn use_up(&mut self, _ms: u64) {
        unreachable!("only numbers have gates")
    }
    /// Continues with other numbers.
    fn change(&mut self, numbers: Numbers);
}

impl<T: Turns + Clone + Debug + 'static> Definition for T {
    fn decide_keeping(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, _id: u64) -> Answer {
        self.decide_after(now, mode, cost, keep, 0)
    }

    fn use_up(&mut self, now: u64, ms: u64) {
        self.pass_to(now);
        Turns::use_up(self, ms);
    }

    fn decide_after(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, floor: u64) -> Answer {
        self.pass_to(now);
        let limit = self.numbers().capacity();
        // A turn in a later window would make the units that are left in the current window unusable.
        let may_wait =
            keep == 0 || matches!(self.numbers().kind, Kind::Greedy | Kind::Interval | Kind::Leaky);
        let patience = if mode == Mode::Charge && may_wait { self.numbers().wait } else { 0 };
        let fits = u64::from(cost) + u64::from(keep) <= u64::from(limit);
        let turn = fits.then(|| self.turn_keeping(cost, keep).max(floor));
        let allowed = turn.is_some_and(|turn| turn <= patience);
        let charge =
            (allowed && mode != Mode::Peek && cost > 0).then(|| self.charge_at(cost, turn.unwrap_or(0)));
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

/// A limit whose `count` or `burst` is zero. It refuses every request.
#[derive(Clone, Debug)]
struct Nothing {
    capacity: u32,
}

impl Definition for Nothing {
    fn decide_keeping(&mut self, _now: u64, _mode: Mode, _cost: u32, _keep: u32, _id: u64) -> Answer {
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
