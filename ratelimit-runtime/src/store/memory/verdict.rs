//! The results of an algorithm's `judge` and `charge`, and the decisions that are made from them.

use crate::decision::{Decision, Micros, Passes};
use crate::limit::Limit;

/// The time until a cost fits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    Millis(u64),
    Never,
}

/// The finding of an algorithm about a request, before or after its charge. A decision is made from it once the shard is unlocked.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    pub(super) wait: Wait,
    /// The units that are free; negative in debt.
    pub(super) room: i64,
    /// The time until nothing is in use.
    pub(super) reset_ms: u64,
    /// The stamp of the charge. 0 if nothing was charged, or if nobody asks for it.
    pub(super) stamp: u64,
}

/// The result of a charge.
#[derive(Clone, Copy, Default)]
pub(super) struct Charged {
    pub(super) reset_ms: u64,
    /// Finds the charge again, so that units can be given back.
    pub(super) stamp: u64,
}

impl Wait {
    /// The wait in ms, if it is at most `longest`.
    #[inline]
    pub(super) fn within(self, longest: u64) -> Option<u64> {
        match self {
            Self::Millis(wait) if wait <= longest => Some(wait),
            _ => None,
        }
    }
}

impl Verdict {
    #[inline]
    pub(super) fn decision(&self, limit: &Limit, longest_wait: u64) -> Decision {
        let remaining = u32::try_from(self.room.max(0)).unwrap_or(u32::MAX);
        let passes = match self.wait {
            Wait::Millis(wait) if wait <= longest_wait => Passes::InTurn(Micros::of_millis(wait)),
            Wait::Millis(wait) => Passes::after(limit, Micros::of_millis(wait)),
            Wait::Never => Passes::Never,
        };
        Decision::of(limit, remaining, passes, Micros::of_millis(self.reset_ms)).with_stamp(self.stamp)
    }
}

/// The value as a signed integer. Times and counts of a limit are far below 2^63.
#[inline]
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
