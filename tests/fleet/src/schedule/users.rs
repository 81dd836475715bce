//! Draws what users and administrators do beside plain calls: failure policies, operations by hand, pauses, late refunds, stacks
//! of three limits, and overrides that expire. Uses separate random numbers, so that all other events stay the same.

use super::{Call, Change, Hand, How, Kind, NOBODY, Then};
use fastrand::Rng;
use ratelimit::{Limit, OnError};
use std::time::Duration;

/// The features that this module draws for a run.
pub(super) struct Users {
    random: Rng,
    pub(super) policy: OnError,
    pub(super) epoch: Duration,
    /// Whether some calls become operations by hand.
    steers: bool,
    /// Whether some calls of the first limit begin pauses.
    pauses: bool,
}

/// Whether pauses are drawn. Only the attribute can pause a limit, and all limiters of a program share what is known of the limits of
/// attributes. So a run with pauses depends on the runs before it, and its seed does not repeat it.
const PAUSES: bool = false;

/// The beginning of the year 2026 in UTC.
const NEW_YEAR: u64 = 1_767_225_600;
/// The last minutes of other months, since 1970 in UTC: of February 2026, of 28 February 2028 and of 29 February 2028, and of
/// December 2027.
const ENDS_OF_MONTHS: [u64; 4] = [1_772_323_200, 1_835_395_200, 1_835_481_600, 1_830_297_600];

impl Users {
    pub(super) fn of(seed: u64, limits: &[Limit]) -> Self {
        let mut random = Rng::with_seed(seed.rotate_left(32) ^ 0x5eed);
        let is_of_calendar = limits.iter().any(|limit| limit.calendar_window().is_some());
        let policy = match random.u8(..4) {
            // A process decides about windows of the calendar by the machine's clock, which no seed repeats.
            0 if !is_of_calendar => OnError::Local,
            1 => OnError::Allow,
            _ => OnError::Deny,
        };
        let epoch = if is_of_calendar && random.bool() {
            random.choice(ENDS_OF_MONTHS).unwrap_or(NEW_YEAR) - random.u64(..120)
        } else {
            NEW_YEAR
        };
        let what = random.u8(..6);
        let has_first_gate = limits[0].has_gate() && limits[0].largest_lease() == 0;
        let epoch = Duration::from_secs(epoch);
        Self { random, policy, epoch, steers: what < 2, pauses: PAUSES && what == 2 && has_first_gate }
    }

    /// Changes some calls.
    pub(super) fn change(&mut self, call: Call, limits: &[Limit]) -> Call {
        let limit = &limits[call.limit];
        let drawn = self.random.u8(..32);
        let kind = match call.kind {
            Kind::Stack { with, .. } if drawn < 8 && call.who != NOBODY => Kind::Stack { with, beside: true },
            Kind::Charge { then: Then::Refund } if drawn < 16 => {
                let longest = limit.time().min(Duration::from_secs(5)) * 2;
                Kind::Charge { then: Then::Later(longest.mul_f64(self.random.f64())) }
            }
            Kind::Check if self.pauses && drawn < 2 && call.limit == 0 && call.who != NOBODY => {
                Kind::Pausing { time: Duration::from_millis(self.random.u64(1..3000)) }
            }
            Kind::Check | Kind::Acquire if self.steers && drawn < 5 => Kind::Hand(self.hand(limit)),
            Kind::Check if drawn == 31 => Kind::Hand(Hand::Status),
            kind => kind,
        };
        match kind {
            Kind::Hand(Hand::Penalize) => Call { kind, keep: 0, ..call },
            Kind::Hand(_) => Call { kind, keep: 0, cost: 0, ..call },
            Kind::Pausing { .. } => Call { kind, keep: 0, cost: 1, ..call },
            _ => Call { kind, ..call },
        }
    }

    fn hand(&mut self, limit: &Limit) -> Hand {
        match self.random.u8(..8) {
            0 => Hand::Reset,
            1 | 2 if !limit.is_concurrency() => Hand::Penalize,
            3..6 if limit.has_gate() => Hand::Block(Duration::from_millis(self.random.u64(1..4000))),
            6.. if limit.has_gate() => Hand::Unblock,
            _ => Hand::Status,
        }
    }

    /// Lets half of the overrides expire.
    pub(super) fn expire(&mut self, change: Change) -> Change {
        let how = match change.how {
            How::Override(count) if self.random.bool() => {
                How::Expiring(count, Duration::from_millis(self.random.u64(1000..20_000)))
            }
            how => how,
        };
        Change { how, ..change }
    }
}
