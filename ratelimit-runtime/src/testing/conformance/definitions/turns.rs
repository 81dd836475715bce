//! Algorithms in which each request has a turn: one definition decides for all of them.

use super::{Answer, Definition, Kind, Numbers};
use crate::store::Mode;
use std::fmt::Debug;

/// An algorithm in which each request has a turn.
pub(super) trait Turns {
    fn numbers(&self) -> &Numbers;
    /// Advances the time to `now`, in µs.
    fn pass_to(&mut self, now: u64);
    /// The time in ms until this cost has its turn, if no other call comes.
    fn turn(&self, cost: u32) -> u64;
    /// The time in ms until this cost has its turn and leaves `keep` units to others. `cost + keep` is at most the capacity.
    fn turn_keeping(&self, cost: u32, keep: u32) -> u64 {
        self.turn(cost + keep)
    }
    fn remaining(&self) -> u32;
    fn reset_after(&self) -> u64;
    /// Charges the cost at its turn. Returns the stamp.
    fn charge(&mut self, cost: u32) -> u64;
    fn give(&mut self, units: u32, stamp: u64) -> u32;
    /// The free units, rounded down. Negative if more than the capacity is in use.
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

impl<T: Turns + Clone + Debug + Send + 'static> Definition for T {
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

    fn used(&mut self, now: u64) -> u32 {
        self.pass_to(now);
        u32::try_from(i64::from(self.numbers().capacity()) - self.room()).unwrap_or(u32::MAX)
    }

    fn change(&mut self, numbers: Numbers) {
        Turns::change(self, numbers);
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(self.clone())
    }
}

pub(super) fn saturated(units: i128) -> u32 {
    u32::try_from(units.max(0)).unwrap()
}
