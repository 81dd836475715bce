//! Leases of units: how many units a process may take in advance, and for how long it may hand them out.

use super::constructors::must;
use super::rules::numbers::{Lease, Numbers};
use super::{Limit, LimitError};
use std::time::Duration;

/// With [`Lease::Auto`], a process holds at most what the limit can hold, divided by this number.
const AUTO_PART: u32 = 16;

/// A process takes as many units as it uses in this time. For a bucket, the time is shorter, because leased units let a bucket
/// exceed its burst.
const COUNTER_LASTS: Duration = Duration::from_millis(500);
const BUCKET_LASTS: Duration = Duration::from_millis(100);
/// The window, or the time in which a bucket is filled, is divided by this number: a process takes at most the units that it uses
/// in that part.
const LASTS_PART: u64 = 16;

/// A process may hand out leased units for this many times the time in which it expects to use them.
const HANDED_OUT: u32 = 4;

impl Limit {
    /// Lets a process take up to this many units in advance and hand them out by itself, so that most calls do not ask the store.
    /// Zero turns leases off. The number is at most half of what the limit can hold. [`lease_auto`](Self::lease_auto) chooses the
    /// number.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// use ratelimit::Limit;
    /// use std::time::Duration;
    ///
    /// const HITS: Limit = Limit::counter(10_000, Duration::from_secs(1)).lease(500);
    /// ```
    ///
    /// A process takes as many units as it uses in 500 ms (100 ms for a bucket), or in a sixteenth of the window (for a bucket,
    /// of the time in which it is filled), whichever is shorter. So a process with few calls holds no units. A process hands out
    /// its units for four times as long. It returns unused units within a second after that, and at once on
    /// [`close`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.RateLimiter.html#method.close). Leases have these
    /// effects:
    ///
    /// - A counter never exceeds its `count`, because leased units end with their window. While other processes hold unused units
    ///   (at most `processes * lease`), a process may be refused for up to three seconds.
    /// - A token bucket never exceeds its rate in the long run. At once it may admit more than its capacity; the excess is at
    ///   most the leased units, `processes * lease`. For any number of processes, the excess is also at most the units that come
    ///   back in 400 ms, or in a quarter of the time in which the bucket is filled (with a refill by interval, at least one
    ///   step). Under load, the bucket refuses for up to 100 ms at a time, and then admits as many units as have come back.
    /// - [`remaining`](https://docs.rs/ratelimit-runtime/latest/ratelimit/struct.Decision.html#method.remaining) is the number
    ///   that was left in the store when the units were taken, plus the unused units of this process.
    /// - Units of a process that dies are lost until the window ends or the bucket has refilled.
    ///
    /// Some calls always ask the store: calls with several limits (stacks), calls whose units can be returned later, and calls
    /// whose cost is above the lease.
    ///
    /// # Panics
    ///
    /// If [`Limit::try_lease`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn lease(self, units: u32) -> Self {
        must(self.try_lease(units))
    }

    /// Like [`Limit::lease`], for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the algorithm is not a counter or a token bucket; if the limit has a `wait` or a `block`; or if `units`
    /// are more than half of what the limit can hold.
    pub const fn try_lease(self, units: u32) -> Result<Self, LimitError> {
        Self::of(Numbers { lease: Lease::Most(units), ..self.numbers })
    }

    /// Like [`lease`](Self::lease), with a sixteenth of what the limit can hold. A limit that holds fewer than 32 units gets no
    /// lease.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// # use ratelimit::Limit;
    /// # use std::time::Duration;
    /// const HITS: Limit = Limit::counter(10_000, Duration::from_secs(1)).lease_auto();
    /// assert_eq!(HITS.largest_lease(), 625);
    /// ```
    ///
    /// # Panics
    ///
    /// If [`Limit::try_lease_auto`] returns an error. In a `const` that is a compile error.
    #[track_caller]
    pub const fn lease_auto(self) -> Self {
        must(self.try_lease_auto())
    }

    /// Like [`Limit::lease_auto`], for a limit known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the algorithm is not a counter or a token bucket, or if the limit has a `wait` or a `block`.
    pub const fn try_lease_auto(self) -> Result<Self, LimitError> {
        Self::of(Numbers { lease: Lease::Auto, ..self.numbers })
    }

    /// The most units that a process takes in advance. Zero if the limit has no lease.
    pub const fn largest_lease(&self) -> u32 {
        match self.numbers.lease {
            Lease::Most(units) => units,
            // A lease of one unit saves no call to the store.
            Lease::Auto if self.capacity < 2 * AUTO_PART => 0,
            Lease::Auto => self.capacity / AUTO_PART,
        }
    }

    /// The time that leased units should last: a process takes as many units as it uses in this time.
    #[doc(hidden)]
    pub fn lease_lasts(&self) -> Duration {
        let part = Duration::from_micros(self.whole_ms() * 1000 / LASTS_PART);
        let most = if self.is_bucket() { BUCKET_LASTS } else { COUNTER_LASTS };
        part.min(most)
    }

    /// The time for which leased units are handed out: at most a quarter of the window, or of the time in which a bucket is filled.
    #[doc(hidden)]
    pub fn lease_usable_for(&self) -> Duration {
        self.lease_lasts() * HANDED_OUT
    }

    /// If the store refuses two requests for units, the second one comes at least this time after the first one. Meanwhile a
    /// bucket refills, so that the next request takes several units, instead of one request for each unit.
    #[doc(hidden)]
    pub fn lease_pause(&self) -> Duration {
        let comes_one_by_one = self.is_bucket() && !self.refills_by_interval();
        if comes_one_by_one { self.lease_lasts() } else { Duration::ZERO }
    }

    /// The number of units of a bucket that come back in this time, rounded down.
    #[doc(hidden)]
    pub fn units_back_in(&self, time: Duration) -> u32 {
        let rate = self.rate();
        let grains = time.as_millis() * u128::from(rate.tokens) / u128::from(rate.period_ms);
        u32::try_from(grains).unwrap_or(u32::MAX)
    }

    /// The window, or the time in which a bucket is filled, rounded down.
    const fn whole_ms(&self) -> u64 {
        match self.full_ms() {
            0 => self.numbers.time_ms,
            full_ms if self.refills_by_interval() => full_ms,
            _ => self.capacity as u64 * self.period_ms / self.tokens as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refill;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_automatic_lease_follows_the_numbers() {
        let most = |limit: Limit| limit.lease_auto().largest_lease();
        assert_eq!(most(Limit::counter(10_000, SECOND)), 625);
        assert_eq!([31, 32, 47, 48].map(|count| most(Limit::counter(count, SECOND))), [0, 2, 2, 3]);
        assert_eq!(most(Limit::token_bucket(10_000, SECOND).burst(320)), 20);
        assert_eq!(
            Limit::token_bucket(10_000, SECOND).lease_auto().burst(320).borrow(160).largest_lease(),
            30
        );
        assert_eq!(most(Limit::try_counter(0, SECOND).unwrap()), 0);
    }

    #[test]
    fn units_are_handed_out_for_at_most_a_quarter_of_the_window() {
        let ms = Duration::from_millis;
        for (limit, lasts) in [
            (Limit::counter(100, SECOND * 60), ms(500)),
            (Limit::token_bucket(100, SECOND * 60), ms(100)),
            (Limit::counter(100, SECOND), ms(1000) / 16),
            (Limit::counter(100, ms(1)), Duration::from_micros(62)),
            (Limit::try_counter(0, SECOND).unwrap(), ms(1000) / 16),
            (Limit::token_bucket(100, SECOND).burst(50), ms(500) / 16),
            (Limit::token_bucket(7, SECOND).burst(3), ms(428) / 16),
            (Limit::token_bucket(100, SECOND).burst(50).borrow(100), ms(1500) / 16),
            (Limit::token_bucket(100, SECOND).burst(250).refill(Refill::Interval), ms(100)),
            (Limit::token_bucket(100, SECOND / 2).burst(101).refill(Refill::Interval), ms(1000) / 16),
            (Limit::try_token_bucket(0, SECOND).unwrap(), ms(1000) / 16),
        ] {
            assert_eq!((limit.lease_lasts(), limit.lease_usable_for()), (lasts, lasts * 4), "{limit}");
        }
    }
}
