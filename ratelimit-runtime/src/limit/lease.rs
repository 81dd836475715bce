//! Units in advance: how many a process may hold, for how long they are to last, and how long they are good.

use super::make::must;
use super::rules::numbers::{Lease, Numbers};
use super::{Algorithm, Limit, LimitError};
use std::time::Duration;

/// With [`Lease::Auto`] a process holds this part of what the limit can hold, at most.
const PART: u32 = 16;

/// What a process takes is to last so long at the rate of its calls, and at most this part of the time that the whole
/// limit lasts. A bucket passes its burst by what it has on lease, and so has less of it.
const COUNTER_LASTS: Duration = Duration::from_millis(500);
const BUCKET_LASTS: Duration = Duration::from_millis(100);
const LASTS_PART: u64 = 16;

/// Units are good for so many times as long.
const GOOD: u32 = 4;

impl Limit {
    /// Lets a process take up to so many units at once, and hand them out by itself: most calls then cost no question
    /// to the store. Zero means not at all; [`lease_auto`](Self::lease_auto) chooses the number.
    ///
    /// How many it takes follows its calls: as many as last for 500 ms (100 ms for a bucket), or for a sixteenth of the
    /// time that the whole limit lasts (the window, or the time in which the bucket is filled), if that is shorter. So
    /// rare callers hold nothing. Units are handed out for four times as long; what is left of them then goes back within
    /// a second, and at [`close`](crate::RateLimiter::close) at once. What leases change:
    ///
    /// - a counter never passes its `count`: units on lease are void when their window ends. Others may be refused
    ///   while units lie unused elsewhere, at most `processes * lease`, for three seconds at most;
    /// - a token bucket never passes its rate in the long run. What it lets through at once may be above its capacity
    ///   by the units that are on lease: at most `processes * lease`, and however many processes there are, at most what
    ///   comes back in 400 ms, or in a quarter of the time in which the bucket is filled (one that refills by interval:
    ///   a step at least). Under load it refuses for up to 100 ms at a time, and then passes
    ///   what has come back;
    /// - [`remaining`](crate::Decision::remaining) is what was left when the units were taken, and those of this process;
    /// - units of a process that dies are lost until the window ends, or the bucket has refilled.
    ///
    /// It concerns single calls that spend: not stacks, charges that may come back, or calls whose cost is above the
    /// lease.
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_lease`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn lease(self, units: u32) -> Self {
        must(self.try_lease(units))
    }

    /// [`Limit::lease`] for a number known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is neither a counter nor a token bucket, has a `wait`, or `units` are more than half
    /// of what it can hold.
    pub const fn try_lease(self, units: u32) -> Result<Self, LimitError> {
        Self::of(Numbers { lease: Lease::Most(units), ..self.numbers })
    }

    /// The same with a bound that follows the limit's own numbers: a sixteenth of what it can hold. One that holds fewer
    /// than 32 units asks the store each time.
    ///
    /// ```
    /// # use ratelimit::Limit;
    /// # use std::time::Duration;
    /// const HITS: Limit = Limit::counter(10_000, Duration::from_secs(1)).lease_auto();
    /// assert_eq!(HITS.largest_lease(), 625);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`Limit::try_lease_auto`] returns an error; in a `const` that is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn lease_auto(self) -> Self {
        must(self.try_lease_auto())
    }

    /// [`Limit::lease_auto`] for a limit known only at run time.
    ///
    /// # Errors
    ///
    /// [`LimitError`], if the limit is neither a counter nor a token bucket, or has a `wait`.
    pub const fn try_lease_auto(self) -> Result<Self, LimitError> {
        Self::of(Numbers { lease: Lease::Auto, ..self.numbers })
    }

    /// The most units that a process takes in advance; zero if none.
    #[must_use]
    pub const fn largest_lease(&self) -> u32 {
        match self.numbers.lease {
            Lease::Most(units) => units,
            // One unit in advance is none.
            Lease::Auto if self.derived.capacity < 2 * PART => 0,
            Lease::Auto => self.derived.capacity / PART,
        }
    }

    /// For how long the units of a lease are to last.
    pub(crate) const fn lease_lasts(&self) -> Duration {
        let part = Duration::from_micros(self.whole_ms() * 1000 / LASTS_PART);
        let most = match self.numbers.algorithm {
            Algorithm::TokenBucket => BUCKET_LASTS,
            _ => COUNTER_LASTS,
        };
        if part.as_micros() < most.as_micros() { part } else { most }
    }

    /// For how long the units of a lease are handed out: a quarter of the time that the whole limit lasts, at most.
    pub(crate) fn lease_is_good(&self) -> Duration {
        self.lease_lasts() * GOOD
    }

    /// How long a refusal holds at least. The units that come back meanwhile are taken at once then, and not one by one
    /// by as many questions.
    pub(crate) fn lease_pause(&self) -> Duration {
        match self.numbers.algorithm {
            Algorithm::TokenBucket if !self.refills_by_interval() => self.lease_lasts(),
            _ => Duration::ZERO,
        }
    }

    /// How many units of a bucket come back in so long, rounded down.
    pub(crate) fn comes_back_in(&self, time: Duration) -> u32 {
        let grains =
            time.as_millis() * u128::from(self.derived.rate.tokens) / u128::from(self.derived.rate.period_ms);
        u32::try_from(grains).unwrap_or(u32::MAX)
    }

    /// The window, or the time in which a bucket is filled.
    const fn whole_ms(&self) -> u64 {
        match self.numbers.algorithm {
            _ if self.refuses_all() => self.numbers.time_ms,
            Algorithm::TokenBucket if self.refills_by_interval() => {
                self.derived.capacity.div_ceil(self.numbers.count) as u64 * self.numbers.time_ms
            }
            Algorithm::TokenBucket => {
                self.derived.capacity as u64 * self.derived.rate.period_ms / self.derived.rate.tokens as u64
            }
            _ => self.numbers.time_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Refill;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_is_taken_by_itself_follows_the_numbers() {
        let most = |limit: Limit| limit.lease_auto().largest_lease();
        assert_eq!(most(Limit::counter(10_000, SECOND)), 625);
        assert_eq!([31, 32, 47, 48].map(|count| most(Limit::counter(count, SECOND))), [0, 2, 2, 3]);
        assert_eq!(most(Limit::token_bucket(10_000, SECOND).burst(320)), 20);
        assert_eq!(
            Limit::token_bucket(10_000, SECOND).lease_auto().burst(320).borrow(160).largest_lease(),
            30
        );
        assert_eq!(most(Limit::counter(0, SECOND)), 0);
    }

    #[test]
    fn units_are_good_for_a_quarter_of_what_the_limit_lasts_at_most() {
        let ms = Duration::from_millis;
        for (limit, lasts) in [
            (Limit::counter(100, SECOND * 60), ms(500)),
            (Limit::token_bucket(100, SECOND * 60), ms(100)),
            (Limit::counter(100, SECOND), ms(1000) / 16),
            (Limit::counter(100, ms(1)), Duration::from_micros(62)),
            (Limit::counter(0, SECOND), ms(1000) / 16),
            (Limit::token_bucket(100, SECOND).burst(50), ms(500) / 16),
            (Limit::token_bucket(100, SECOND).burst(50).borrow(100), ms(1500) / 16),
            (Limit::token_bucket(100, SECOND).burst(250).refill(Refill::Interval), ms(100)),
            (Limit::token_bucket(100, SECOND / 2).burst(101).refill(Refill::Interval), ms(1000) / 16),
            (Limit::token_bucket(0, SECOND), ms(1000) / 16),
        ] {
            assert_eq!((limit.lease_lasts(), limit.lease_is_good()), (lasts, lasts * 4), "{limit}");
        }
    }
}
