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
mod numbers;
mod turns;
mod window;

pub use bound::bound;
pub use numbers::{Kind, Numbers};

use crate::store::Mode;
use std::fmt::Debug;
use turns::{Turns, saturated};

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
pub trait Definition: Debug + Send {
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
    /// Decides a request of a stack like [`decide_keeping`](Self::decide_keeping), but charges nothing and leaves no ticket. A
    /// limit that refuses the request blocks its callers.
    fn judge(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, id: u64) -> Answer {
        let charged = self.copy().decide_keeping(now, mode, cost, keep, id);
        if !charged.allowed {
            return self.decide_keeping(now, mode, cost, keep, id);
        }
        let peeked = self.copy().decide_keeping(now, Mode::Peek, cost, keep, id);
        Answer { remaining: peeked.remaining, reset_after: peeked.reset_after, stamp: 0, ..charged }
    }
    /// Gives up to `units` of the charge with this stamp back. Returns how many that were.
    fn give(&mut self, now: u64, units: u32, stamp: u64) -> u32;
    /// Charges units unconditionally. Returns the number of charged units.
    fn take(&mut self, now: u64, units: u32) -> u32;
    /// The units in use.
    fn used(&mut self, _now: u64) -> u32 {
        unreachable!("permits are not asked for it")
    }
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
    /// The time in ms until a block or a pause ends.
    fn closed(&mut self, _now: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Ends a block or a pause. Returns 1 if there was one, else 0.
    fn open(&mut self, _now: u64) -> u32 {
        unreachable!("only numbers have gates")
    }
    /// Counts the resets of the key.
    fn generation(&self) -> u64 {
        0
    }
    /// Continues with other numbers of the same algorithm. If calls can wait, `wait` must stay the same. The `time` of a
    /// sliding window must stay the same, too.
    fn change(&mut self, numbers: Numbers);
    fn copy(&self) -> Box<dyn Definition>;
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

    fn used(&mut self, _now: u64) -> u32 {
        0
    }

    fn change(&mut self, numbers: Numbers) {
        self.capacity = numbers.capacity();
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(self.clone())
    }
}
