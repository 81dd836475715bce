//! The results of an algorithm's `judge` and `charge`, and the decisions that are made from them.

use crate::decision::Decision;
use crate::limit::Limit;

/// The finding of an algorithm about a request, before or after its charge. A decision is made from it once the shard is unlocked.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    /// The time until the cost fits. `None` if it never does.
    pub(super) wait_ms: Option<u64>,
    /// The units that are free; negative in debt.
    pub(super) room: i64,
    /// The time until nothing is in use.
    pub(super) reset_ms: u64,
    /// The stamp of the charge. 0 if nothing was charged, or if the request needs no stamp.
    pub(super) stamp: u64,
}

/// The result of a charge.
#[derive(Clone, Copy, Default)]
pub(super) struct Charged {
    pub(super) reset_ms: u64,
    /// Finds the charge again, so that units can be given back.
    pub(super) stamp: u64,
}

/// The wait, if there is one of at most `longest`.
#[inline]
pub(super) fn within(wait_ms: Option<u64>, longest: u64) -> Option<u64> {
    wait_ms.filter(|wait| *wait <= longest)
}

impl Verdict {
    #[inline]
    pub(super) fn decision(&self, limit: &Limit, longest_wait: u64) -> Decision {
        let remaining = u32::try_from(self.room.max(0)).unwrap_or(u32::MAX);
        Decision::judged(limit, remaining, self.wait_ms, longest_wait, self.reset_ms).with_stamp(self.stamp)
    }

    /// The wait, if there is one of at most `longest`.
    #[inline]
    pub(super) fn wait_within(&self, longest: u64) -> Option<u64> {
        within(self.wait_ms, longest)
    }
}

/// The value as a signed integer. Times and counts of a limit are far below 2^63.
#[inline]
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
