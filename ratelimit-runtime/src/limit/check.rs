//! The bounds under which the state of a limit stays below 2^53, where Lua's numbers are exact.

use super::lease::Lease;
use super::{Algorithm, Limit, LimitError, Rate, Refill};
use std::time::Duration;

/// The longest `time` and `wait`, and the longest time that a bucket may take to refill: 366 days.
const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// A bucket's level shares one integer with its clock: `count` and capacity of at most 2^25 units.
const MAX_BUCKET: u32 = 1 << 25;
/// What can be in use and waiting in a bucket.
const MAX_LEVEL: u128 = 1 << 26;
/// Two cells, each of which may be one `count` deep in debt, share one integer.
const MAX_WINDOW: u32 = (1 << 25) - 1;
/// Each unit of a log, and each permit, is remembered.
const MAX_REMEMBERED: u32 = 10_000;
/// A lease has to outlive the network's pauses.
const MIN_LEASE_MS: u64 = 1000;
const EXACT: u128 = 1 << 53;

/// The numbers of a limit to be.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) algorithm: Algorithm,
    pub(super) refill: Refill,
    pub(super) count: u32,
    pub(super) burst: u32,
    pub(super) borrow: u32,
    pub(super) time: Duration,
    pub(super) wait: Duration,
    pub(super) lease: Lease,
}

impl Numbers {
    pub(super) const fn check(self) -> Result<Limit, LimitError> {
        let time_ms = match whole_ms(self.time) {
            Some(0) => return Err(LimitError::TimeZero),
            Some(ms) if ms <= MAX_TIME_MS => ms,
            Some(_) => return Err(LimitError::TimeTooLong),
            None => return Err(LimitError::TimeFraction),
        };
        let wait_ms = match whole_ms(self.wait) {
            Some(ms) if ms <= MAX_TIME_MS => ms,
            Some(_) => return Err(LimitError::WaitTooLong),
            None => return Err(LimitError::WaitFraction),
        };
        let Self { algorithm, refill, count, burst, borrow, lease, .. } = self;
        let continuous = matches!(algorithm, Algorithm::LeakyBucket)
            || matches!((algorithm, refill), (Algorithm::TokenBucket, Refill::Greedy));
        let rate = if continuous && count > 0 {
            Rate::lowest_terms(count, time_ms)
        } else {
            Rate { tokens: count, period_ms: time_ms }
        };
        let mut limit = Limit {
            algorithm,
            refill,
            count,
            burst,
            borrow,
            capacity: burst.saturating_add(borrow),
            time_ms,
            wait_ms,
            lease,
            rate,
        };
        let wrong = match algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket if count == 0 => None,
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                if limit.is_queue() {
                    limit.capacity = limit.places();
                }
                limit.wrong_bucket()
            }
            Algorithm::SlidingWindow if count > MAX_WINDOW => Some(LimitError::WindowTooLarge),
            Algorithm::SlidingWindow if 4 * count as u128 * time_ms as u128 >= EXACT => {
                Some(LimitError::NotExact)
            }
            Algorithm::SlidingLog if count > MAX_REMEMBERED => Some(LimitError::LogTooLarge),
            Algorithm::Concurrency if count > MAX_REMEMBERED => Some(LimitError::TooManyPermits),
            Algorithm::Concurrency if time_ms < MIN_LEASE_MS => Some(LimitError::LeaseTooShort),
            Algorithm::Counter
            | Algorithm::SlidingWindow
            | Algorithm::SlidingLog
            | Algorithm::Concurrency => None,
        };
        match wrong {
            None if limit.is_leased_in_vain() => Err(LimitError::LeaseElsewhere),
            None if limit.largest_lease() > limit.capacity / 2 && !limit.refuses_all() => {
                Err(LimitError::LeaseTooLarge)
            }
            None => Ok(limit),
            Some(error) => Err(error),
        }
    }
}

impl Limit {
    /// Only units that are the same whoever takes them can be handed out by another than the store.
    const fn is_leased_in_vain(&self) -> bool {
        let countable = matches!(self.algorithm, Algorithm::Counter | Algorithm::TokenBucket);
        !matches!(self.lease, Lease::Most(0)) && (!countable || self.wait_ms > 0)
    }

    /// Units that come back within `wait`.
    const fn waiting(&self) -> u128 {
        self.wait_ms as u128 * self.rate.tokens as u128 / self.rate.period_ms as u128
    }

    /// Of a queue: calls that could come at once and wait long enough, `u32::MAX` for too many.
    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    const fn places(&self) -> u32 {
        let places = self.waiting() + 1;
        if places > MAX_LEVEL { u32::MAX } else { places as u32 }
    }

    const fn wrong_bucket(&self) -> Option<LimitError> {
        let capacity = self.capacity as u128;
        if self.count > MAX_BUCKET || (self.capacity > MAX_BUCKET && !self.is_queue()) {
            return Some(LimitError::BucketTooLarge);
        }
        if capacity + self.waiting() > MAX_LEVEL {
            return Some(LimitError::QueueTooLarge);
        }
        let refill_ms = capacity * self.rate.period_ms as u128 / self.rate.tokens as u128;
        if refill_ms > MAX_TIME_MS as u128 && !self.is_queue() {
            return Some(LimitError::RefillTooSlow);
        }
        // The level, what was charged in one period before it, and what leaks while the key lives.
        let most = if capacity > self.waiting() { 2 * capacity } else { capacity + self.waiting() };
        let units = most + self.rate.tokens as u128;
        let grains = if self.refills_by_interval() { 1 } else { self.rate.period_ms as u128 };
        let leaks = most * grains + 1000 * self.rate.tokens as u128;
        if units * grains + leaks >= EXACT { Some(LimitError::NotExact) } else { None }
    }
}

impl Rate {
    #[expect(clippy::cast_possible_truncation, reason = "a divisor of a u32 fits one")]
    const fn lowest_terms(tokens: u32, period_ms: u64) -> Self {
        let (mut divisor, mut rest) = (period_ms, tokens as u64);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { tokens: tokens / divisor as u32, period_ms: period_ms / divisor }
    }
}

/// Milliseconds, `u64::MAX` for more; none if there is a fraction.
const fn whole_ms(duration: Duration) -> Option<u64> {
    if !duration.subsec_nanos().is_multiple_of(1_000_000) {
        return None;
    }
    let seconds = duration.as_secs().saturating_mul(1000);
    Some(seconds.saturating_add(duration.subsec_millis() as u64))
}
