//! `NearLimit`: the event of a limit that is nearly used up, and the share of the limit at which this event occurs.
//!
//! The decision shows it: its cost and the units that are left say whether the call has crossed the share. Each decision has its
//! own place in the order of the store, even if calls are merged, so exactly one call of all processes crosses it.

use super::IdentityHash;
use crate::decision::Decision;
use crate::key::LimitName;

/// A call that made a limit nearly used up. Before the call, less than the share of
/// [`RateLimiterBuilder::near_limit`](crate::RateLimiterBuilder::near_limit) was in use. After the call, at least this share is
/// in use. Units that `settle` or `penalize` take without a check are observed like a call. A smaller override that crosses the
/// share causes no event.
#[derive(Clone, Debug)]
pub struct NearLimit {
    pub(super) name: LimitName,
    pub(super) decision: Decision,
    pub(super) identity: Option<IdentityHash>,
}

impl NearLimit {
    /// The name of the limit, as in [`Rejection::name`](crate::Rejection::name).
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The decision that admitted the call, or that was asked for after units were taken without a check: the capacity, the number of units left, and the time until nothing is in use.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The hash of the caller's identity. `None` if all callers share the limit.
    pub const fn identity(&self) -> Option<IdentityHash> {
        self.identity
    }
}

/// The whole of a limit. Shares are in millionths of it. No call crosses a share of zero.
const WHOLE: u32 = 1_000_000;
/// The default of the share at which a limit is nearly used up.
pub(crate) const DEFAULT_SHARE: u32 = WHOLE / 5 * 4;

/// Returns a share in millionths. `None` if it is not from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a million")]
pub(crate) fn share(of_one: f64) -> Option<u32> {
    (0.0..=1.0).contains(&of_one).then(|| (of_one * f64::from(WHOLE)).round() as u32)
}

/// Whether the charge of an admitted call has crossed the share. The store decides calls one by one, so only one call of all
/// processes crosses the share in each window.
#[inline]
pub(super) fn crosses(share: u32, decision: &Decision, cost: u32) -> bool {
    let (capacity, left) = (u64::from(decision.capacity()), u64::from(decision.remaining()));
    let used = capacity.saturating_sub(left);
    let is_near = |used| is_near(share, capacity, used);
    // In debt, the exact use before the call is unknown, but everything was in use. So the call crosses no share.
    let in_debt = left == 0 && !decision.delay().is_zero();
    is_near(used) && !in_debt && !is_near(used.saturating_sub(cost.into()))
}

/// Whether units that were taken without a check have crossed the share. `used` are the units in use afterwards.
pub(super) fn takes_cross(share: u32, capacity: u32, taken: u32, used: u32) -> bool {
    let is_near = |used: u32| is_near(share, capacity.into(), used.into());
    is_near(used) && !is_near(used.saturating_sub(taken))
}

fn is_near(share: u32, capacity: u64, used: u64) -> bool {
    used * u64::from(WHOLE) >= capacity * u64::from(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;
    use std::time::Duration;

    fn crosses(of_one: f64, count: u32, remaining: u32, cost: u32) -> bool {
        let limit = Limit::counter(count, Duration::from_secs(1));
        super::crosses(share(of_one).unwrap(), &Decision::allow(&limit, remaining, Duration::ZERO), cost)
    }

    #[test]
    fn one_call_crosses_a_share() {
        for count in [1, 2, 4, 5, 10, 99, 100, 1000] {
            for share in [0.000_001, 0.5, 0.8, 0.95, 1.0] {
                let crossing = (0..count).filter(|left| crosses(share, count, *left, 1));
                assert_eq!(crossing.count(), 1, "{share} of {count}");
            }
        }
        assert!(!crosses(0.8, 100, 21, 1) && crosses(0.8, 100, 20, 1) && !crosses(0.8, 100, 19, 1));
        assert!(crosses(0.8, 100, 0, 30) && !crosses(0.8, 100, 0, 20) && !crosses(0.8, 100, 5, 0));
        assert!(crosses(0.8, u32::MAX, u32::MAX / 5, 1));
    }

    #[test]
    fn units_that_are_taken_cross_a_share_once() {
        let takes = |taken, used| takes_cross(DEFAULT_SHARE, 100, taken, used);
        assert!(takes(10, 80) && takes(10, 89) && takes(180, 200) && takes(1, 80));
        assert!(!takes(10, 79) && !takes(10, 90) && !takes(50, 200) && !takes(0, 90));
    }

    #[test]
    fn a_share_is_from_zero_to_one() {
        assert_eq!([f64::NAN, -0.1, 1.1, 80.0].map(share), [None; 4]);
        assert_eq!(share(0.8), Some(DEFAULT_SHARE));
        assert!(!(0..10).any(|left| crosses(0.0, 10, left, 1)));
        assert!(crosses(1.0, 10, 0, 1));
    }

    #[test]
    fn a_call_that_waits_behind_debt_crosses_nothing() {
        let limit = Limit::token_bucket(10, Duration::from_secs(1)).wait(Duration::from_secs(9));
        let decision = Decision::allow(&limit, 0, Duration::from_secs(2)).in_turn(Duration::from_secs(1), 7);
        assert!(!super::crosses(DEFAULT_SHARE, &decision, 5));
    }
}
