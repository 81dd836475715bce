//! `PackedDecision`: a decision in two words, which are returned in registers.

use super::Decision;
use crate::limit::Limit;

/// The decision about a call that never waits and whose units are never returned: the wait until the call would pass, the units
/// that are left, and the time until nothing is in use. A [`Decision`] is five words, and a processor waits whenever one is read
/// from where it was just written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedDecision(
    /// The wait in ms in the low 48 bits, and the high half of the units.
    u64,
    /// The time until nothing is in use in the low 48 bits, and the low half of the units.
    u64,
);

/// The number of bits of a time in ms, about 8900 years. A call that never passes has the largest time.
const TIME_BITS: u32 = 48;
const NEVER: u64 = (1 << TIME_BITS) - 1;

impl PackedDecision {
    /// Packs a decision. `wait_ms` is 0 if the call is admitted, and `None` if it never passes.
    #[inline]
    pub(crate) const fn new(wait_ms: Option<u64>, remaining: u32, reset_ms: u64) -> Self {
        const fn at_most(ms: u64, most: u64) -> u64 {
            if ms < most { ms } else { most }
        }
        let wait = match wait_ms {
            Some(wait) => at_most(wait, NEVER - 1),
            None => NEVER,
        };
        let units = remaining as u64;
        Self(wait | units >> 16 << TIME_BITS, at_most(reset_ms, NEVER) | units << TIME_BITS)
    }

    /// Packs the decision of a store in mode `Check`, whose times are whole milliseconds.
    #[expect(clippy::cast_possible_truncation, reason = "a store's times are far below 2^64 ms")]
    pub(crate) fn of(decision: &Decision) -> Self {
        let wait = if decision.is_allowed() {
            Some(0)
        } else {
            decision.retry_after().map(|wait| wait.as_millis() as u64)
        };
        Self::new(wait, decision.remaining(), decision.reset_after().as_millis() as u64)
    }

    #[inline]
    pub(crate) const fn is_allowed(self) -> bool {
        self.0 & NEVER == 0
    }

    #[expect(clippy::cast_possible_truncation, reason = "two times 16 bits")]
    #[inline]
    pub(crate) const fn decision(self, limit: &Limit) -> Decision {
        let (wait, reset) = (self.0 & NEVER, self.1 & NEVER);
        let remaining = (self.0 >> TIME_BITS << 16 | self.1 >> TIME_BITS) as u32;
        let wait = if wait == NEVER { None } else { Some(wait) };
        Decision::judged(limit, remaining, wait, 0, reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_packed_decision_has_all_numbers() {
        let limit = Limit::counter(u32::MAX, Duration::from_secs(1));
        for remaining in [0, 1, 0xffff, 0x1_0000, 0x1234_5678, u32::MAX] {
            for reset in [0, 1, 366 * 86_400_000, 1 << 47] {
                for wait in [Some(0), Some(1), Some(366 * 86_400_000), Some(1 << 47), None] {
                    let packed = PackedDecision::new(wait, remaining, reset);
                    let decision = Decision::judged(&limit, remaining, wait, 0, reset);
                    assert_eq!(packed.decision(&limit), decision);
                    assert_eq!(
                        (packed.is_allowed(), PackedDecision::of(&decision)),
                        (decision.is_allowed(), packed)
                    );
                }
            }
        }
        assert_eq!(
            PackedDecision::new(Some(u64::MAX), 0, u64::MAX),
            PackedDecision::new(Some(NEVER - 1), 0, NEVER)
        );
    }
}
