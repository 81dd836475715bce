//! The numbers of a limit, and the rules that hold between them.

use super::bounds::{EXACT, MAX_LEVEL, MAX_TIME_MS, check_bucket, check_lease, check_wait};
use super::{Algorithm, Refill, Violation};

/// The algorithm and the numbers of a limit. [`check`](Self::check) finds out whether they fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Numbers {
    pub(crate) algorithm: Algorithm,
    pub(crate) refill: Refill,
    pub(crate) count: u32,
    /// The same as `count` for a limit without a `burst`.
    pub(crate) burst: u32,
    pub(crate) borrow: u32,
    pub(crate) time_ms: u64,
    /// Zero for a limit whose calls do not wait.
    pub(crate) wait_ms: u64,
    pub(crate) lease: Lease,
}

/// How many units a process takes in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lease {
    /// At most this many; zero for none.
    Most(u32),
    /// A part of what the limit can hold.
    Auto,
}

/// A speed: `tokens` come back in each `period_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rate {
    pub(crate) tokens: u32,
    pub(crate) period_ms: u64,
}

/// What follows from the numbers of a valid limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Derived {
    /// The most units that the limit can hold.
    pub(crate) capacity: u32,
    /// `count` per `time_ms`, in lowest terms where units come back continuously.
    pub(crate) rate: Rate,
    /// The time in ms in which a full bucket refills or leaks. Zero for other limits.
    pub(crate) full_ms: u64,
    pub(crate) cell: Cell,
}

/// A part of the time by which buckets are collected: 64, 96, 128, 192, 256, 384 .. ms (`lua/token_bucket.lua`). It is
/// `2^shift` ms, or three times that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    shift: u8,
    is_triple: bool,
}

impl Cell {
    /// The longest cell of which eight are at most twice this time and one second.
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm")]
    pub(crate) const fn of(period_ms: u64) -> Self {
        let longest = (2 * period_ms + 1000) / 256;
        let log = longest.ilog2();
        let is_triple = longest >> (log - 1) == 3;
        Self { shift: if is_triple { log as u8 + 4 } else { log as u8 + 5 }, is_triple }
    }

    /// The end of the eighth cell from the one with this time.
    #[inline]
    pub(crate) const fn eighth_end(self, time: i64) -> i64 {
        let cells = time >> self.shift;
        if self.is_triple {
            ((cells.div_euclid(3) + 8) * 3).saturating_mul(1 << self.shift)
        } else {
            (cells + 8).saturating_mul(1 << self.shift)
        }
    }
}

impl Numbers {
    /// A limit without any of the optional numbers.
    pub(crate) const fn new(algorithm: Algorithm, count: u32, time_ms: u64) -> Self {
        let (refill, lease) = (Refill::Greedy, Lease::Most(0));
        Self { algorithm, refill, count, burst: count, borrow: 0, time_ms, wait_ms: 0, lease }
    }

    /// Checks all rules.
    pub(crate) const fn check(self) -> Result<Derived, Violation> {
        let alone = (
            self.algorithm.check_time(self.time_ms),
            check_wait(self.wait_ms),
            self.algorithm.check_count(self.count),
            self.check_burst(),
        );
        if let (Err(violation), ..)
        | (_, Err(violation), ..)
        | (.., Err(violation), _)
        | (.., Err(violation)) = alone
        {
            return Err(violation);
        }
        let rate = self.rate();
        let capacity = if self.is_queue() && self.count > 0 {
            self.places(rate)
        } else {
            self.burst.saturating_add(self.borrow)
        };
        let full_ms = self.full_ms(capacity, rate);
        let cell = Cell::of(if full_ms > self.wait_ms { full_ms } else { self.wait_ms });
        let derived = Derived { capacity, rate, full_ms, cell };
        if let Err(violation) = self.check_state(derived) {
            return Err(violation);
        }
        match self.check_lease(capacity) {
            Ok(()) => Ok(derived),
            Err(violation) => Err(violation),
        }
    }

    pub(crate) const fn refills_by_interval(&self) -> bool {
        matches!(self.refill, Refill::Interval)
    }

    /// Whether this is a leaky bucket in which calls wait.
    pub(crate) const fn is_queue(&self) -> bool {
        matches!(self.algorithm, Algorithm::LeakyBucket) && self.wait_ms > 0
    }

    const fn check_burst(&self) -> Result<(), Violation> {
        if self.burst == self.count { Ok(()) } else { self.algorithm.check_takes_burst(self.wait_ms > 0) }
    }

    /// Checks that the state of the limit stays below 2^53.
    const fn check_state(&self, Derived { capacity, rate, .. }: Derived) -> Result<(), Violation> {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket if self.count > 0 => {
                self.check_level(capacity, rate)
            }
            Algorithm::SlidingWindow if 4 * self.count as u128 * self.time_ms as u128 >= EXACT => {
                Err(Violation::NotExact)
            }
            _ => Ok(()),
        }
    }

    const fn check_level(&self, capacity: u32, rate: Rate) -> Result<(), Violation> {
        if !self.is_queue()
            && let Err(violation) = check_bucket(capacity)
        {
            return Err(violation);
        }
        let (capacity, waiting) = (capacity as u128, self.waiting(rate));
        let (tokens, period_ms) = (rate.tokens as u128, rate.period_ms as u128);
        if capacity + waiting > MAX_LEVEL {
            return Err(Violation::QueueTooLarge);
        }
        if !self.is_queue() && capacity * period_ms / tokens > MAX_TIME_MS as u128 {
            return Err(Violation::RefillTooSlow);
        }
        // The level, the units charged in one period before it, and what leaks while the key lives.
        let most = if capacity > waiting { 2 * capacity } else { capacity + waiting };
        let grains = if self.refills_by_interval() { 1 } else { period_ms };
        let leaks = most * grains + 1000 * tokens;
        if (most + tokens) * grains + leaks >= EXACT { Err(Violation::NotExact) } else { Ok(()) }
    }

    const fn check_lease(&self, capacity: u32) -> Result<(), Violation> {
        match self.lease {
            Lease::Most(0) => Ok(()),
            _ if self.algorithm.check_takes_lease(self.wait_ms > 0).is_err() => {
                Err(Violation::LeaseElsewhere)
            }
            // A limit that refuses every call has nothing to hand out.
            Lease::Most(units) if self.count > 0 && capacity > 0 => check_lease(units, capacity),
            _ => Ok(()),
        }
    }

    const fn rate(&self) -> Rate {
        let given = Rate { tokens: self.count, period_ms: self.time_ms };
        let continuous = self.algorithm.is_bucket() && !self.refills_by_interval() && self.count > 0;
        if continuous { given.in_lowest_terms() } else { given }
    }

    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    const fn full_ms(&self, capacity: u32, Rate { tokens, period_ms }: Rate) -> u64 {
        if !self.algorithm.is_bucket() || tokens == 0 {
            return 0;
        }
        let (capacity, tokens, period_ms) = (capacity as u128, tokens as u128, period_ms as u128);
        let full_ms = if self.refills_by_interval() {
            capacity.div_ceil(tokens) * period_ms
        } else {
            (capacity * period_ms).div_ceil(tokens)
        };
        if full_ms > EXACT { EXACT as u64 } else { full_ms as u64 }
    }

    /// The units that come back within `wait`.
    const fn waiting(&self, rate: Rate) -> u128 {
        self.wait_ms as u128 * rate.tokens as u128 / rate.period_ms as u128
    }

    /// How many calls of a queue can come at once and wait long enough. `u32::MAX` if they are too many.
    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    const fn places(&self, rate: Rate) -> u32 {
        let places = self.waiting(rate) + 1;
        if places > MAX_LEVEL { u32::MAX } else { places as u32 }
    }
}

impl Rate {
    #[expect(clippy::cast_possible_truncation, reason = "a divisor of a u32 fits one")]
    const fn in_lowest_terms(self) -> Self {
        let (mut divisor, mut rest) = (self.period_ms, self.tokens as u64);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { tokens: self.tokens / divisor as u32, period_ms: self.period_ms / divisor }
    }
}
