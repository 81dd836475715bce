//! What an algorithm says of a request before anything is charged, and what it has charged.

use crate::decision::Decision;
use crate::limit::Limit;
use std::time::Duration;

/// How long until the turn of a cost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    Millis(u64),
    Never,
}

#[derive(Clone, Copy)]
pub(super) struct Verdict {
    pub(super) wait: Wait,
    /// Units free now, below zero in debt.
    pub(super) room: i64,
    pub(super) reset_ms: u64,
}

/// What a charge has left.
#[derive(Clone, Copy, Default)]
pub(super) struct Charged {
    pub(super) reset_ms: u64,
    /// What finds the charge again.
    pub(super) stamp: u64,
}

impl Verdict {
    /// When the turn is, if that is soon enough.
    pub(super) fn passes(&self, patience: u64) -> Option<u64> {
        match self.wait {
            Wait::Millis(wait) if wait <= patience => Some(wait),
            _ => None,
        }
    }

    /// The decision, where nothing is charged.
    pub(super) fn decision(&self, limit: &Limit, patience: u64) -> Decision {
        let (remaining, reset_after) = (self.remaining(0), Duration::from_millis(self.reset_ms));
        match self.wait {
            Wait::Millis(wait) if wait <= patience => {
                Decision::allow(limit, remaining, reset_after).in_turn(Duration::from_millis(wait), 0)
            }
            Wait::Millis(wait) => {
                Decision::refuse(limit, remaining, Some(Duration::from_millis(wait)), reset_after)
            }
            Wait::Never => Decision::refuse(limit, remaining, None, reset_after),
        }
    }

    /// The decision on a cost that was charged. The stamp is told to those who may give back.
    pub(super) fn charged(
        &self,
        limit: &Limit,
        cost: u32,
        wait: u64,
        charged: Charged,
        stamped: bool,
    ) -> Decision {
        Decision::allow(limit, self.remaining(cost), Duration::from_millis(charged.reset_ms))
            .in_turn(Duration::from_millis(wait), if stamped { charged.stamp } else { 0 })
    }

    fn remaining(&self, cost: u32) -> u32 {
        u32::try_from(self.room.saturating_sub(i64::from(cost)).max(0)).unwrap_or(u32::MAX)
    }
}

/// Whether two moments are one, with the slack of the scripts (`lua/head.lua`).
pub(super) fn same(a: u64, b: u64, apart: u64) -> bool {
    a.abs_diff(b) <= if apart < 3 { apart - 1 } else { 2 }
}

/// Times and counts of a limit are far below 2^63.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
