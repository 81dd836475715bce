//! The numbers of a limit, and the rules that hold between them.

use super::block::Block;
use super::bounds::{EXACT, MAX_LEVEL, MAX_TIME_MS};
use super::{Algorithm, Calendar, LimitError, Number, Refill, Turn, Zone};
use crate::Limit;

/// The algorithm and the numbers of a limit. [`Limit::of`] checks whether they fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    pub algorithm: Algorithm,
    pub refill: Refill,
    pub count: u32,
    /// Equals `count` for a limit without a `burst`.
    pub burst: u32,
    pub borrow: u32,
    /// For a calendar window, its greatest length.
    pub time_ms: u64,
    pub calendar: Option<Calendar>,
    /// UTC for a limit without a calendar window.
    pub zone: Zone,
    /// Zero for a limit whose calls do not wait.
    pub wait_ms: u64,
    pub lease: Lease,
    pub block: Block,
}

/// The number of units that a process takes in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lease {
    /// At most this many units. Zero means no lease.
    Most(u32),
    /// A sixteenth of what the limit can hold.
    Auto,
}

/// A rate: `tokens` come back in each `period_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    pub tokens: u32,
    pub period_ms: u64,
}

/// The number of low bits of a limit's `full_and_life` that hold its `full_ms`.
pub(crate) const FULL_BITS: u32 = 56;

impl Numbers {
    /// A limit without any of the optional numbers.
    pub const fn new(algorithm: Algorithm, count: u32, time_ms: u64) -> Self {
        let (refill, lease, block) = (Refill::Greedy, Lease::Most(0), Block::NONE);
        let (calendar, zone, burst, borrow, wait_ms) = (None, Zone::UTC, count, 0, 0);
        Self { algorithm, refill, count, burst, borrow, time_ms, calendar, zone, wait_ms, lease, block }
    }

    pub const fn refills_by_interval(&self) -> bool {
        matches!(self.refill, Refill::Interval)
    }

    /// Whether this is a leaky bucket in which calls wait.
    pub const fn is_queue(&self) -> bool {
        matches!(self.algorithm.turn(), Turn::Queue) && self.wait_ms > 0
    }

    /// Checks that the state of the limit stays below 2^53.
    const fn check_state(&self, capacity: u32, rate: Rate) -> Result<(), LimitError> {
        if self.algorithm.is_bucket() && self.count > 0 {
            return self.check_level(capacity, rate);
        }
        let two_windows = self.algorithm.windows() > 1;
        let is_exact = !two_windows || EXACT > 4 * self.count as u128 * self.time_ms as u128;
        if is_exact { Ok(()) } else { Err(LimitError::NOT_EXACT) }
    }

    const fn check_level(&self, capacity: u32, rate: Rate) -> Result<(), LimitError> {
        let (capacity, waiting) = (capacity as u128, self.waiting(rate));
        let (tokens, period_ms) = (rate.tokens as u128, rate.period_ms as u128);
        if capacity + waiting > MAX_LEVEL {
            return Err(LimitError::QUEUE_TOO_LARGE);
        }
        if !self.is_queue() && capacity * period_ms / tokens > MAX_TIME_MS as u128 {
            return Err(LimitError::REFILL_TOO_SLOW);
        }
        // This sum bounds the units that the state stores: the level, the units that leak in one period, and the units that leak
        // while the key lives.
        let most = if capacity > waiting { 2 * capacity } else { capacity + waiting };
        let grains = if self.refills_by_interval() { 1 } else { period_ms };
        let leaks = most * grains + 1000 * tokens;
        if (most + tokens) * grains + leaks >= EXACT { Err(LimitError::NOT_EXACT) } else { Ok(()) }
    }

    /// Checks that a lease is at most half of the `capacity`. A limit that refuses every call has nothing to hand out, so its
    /// lease may have any size.
    pub const fn check_lease(&self, capacity: u32) -> Result<(), LimitError> {
        match self.lease {
            Lease::Most(units) if self.count > 0 && capacity > 0 && units > capacity / 2 => {
                Err(LimitError::LEASE_TOO_LARGE)
            }
            Lease::Most(_) | Lease::Auto => Ok(()),
        }
    }

    /// Checks whether callers can share a limit of these numbers in equal parts.
    pub const fn check_fair(&self) -> Result<(), LimitError> {
        Err(if !self.algorithm.is_bucket() {
            LimitError::FAIR_WITHOUT_BUCKET
        } else if self.refills_by_interval() {
            LimitError::FAIR_BY_INTERVAL
        } else if self.wait_ms > 0 {
            LimitError::FAIR_WITH_WAIT
        } else if !Number::Lease.is_plain(self) {
            LimitError::FAIR_WITH_LEASE
        } else if !self.block.is_none() {
            LimitError::FAIR_WITH_BLOCK
        } else {
            return Ok(());
        })
    }

    const fn rate(&self) -> Rate {
        let given = Rate { tokens: self.count, period_ms: self.time_ms };
        let continuous = self.algorithm.is_bucket() && !self.refills_by_interval() && self.count > 0;
        if continuous { given.in_lowest_terms() } else { given }
    }

    /// Returns the time in ms after which nothing of a used-up bucket is in use, or zero for other limits. `check_state` has
    /// passed before this call, so the products are far below 2^64.
    const fn full_ms(&self, capacity: u32, Rate { tokens, period_ms }: Rate) -> u64 {
        if !self.algorithm.is_bucket() || tokens == 0 {
            return 0;
        }
        let (capacity, tokens) = (capacity as u64, tokens as u64);
        if self.refills_by_interval() {
            capacity.div_ceil(tokens) * period_ms
        } else {
            (capacity * period_ms).div_ceil(tokens)
        }
    }

    /// The units that come back within `wait`.
    const fn waiting(&self, rate: Rate) -> u128 {
        self.wait_ms as u128 * rate.tokens as u128 / rate.period_ms as u128
    }

    /// The number of calls that can come to a queue at once without waiting longer than `wait`.
    #[expect(clippy::cast_possible_truncation, reason = "if these are too many, so are those that wait")]
    const fn places(&self, rate: Rate) -> u32 {
        (self.waiting(rate) + 1) as u32
    }
}

impl Limit {
    /// Creates the limit of these numbers, if they obey all rules.
    #[doc(hidden)]
    pub const fn of(numbers: Numbers) -> Result<Self, LimitError> {
        let (Numbers { count, burst, wait_ms, .. }, mut at) = (numbers, 0);
        while at < Number::ALL.len() {
            let number = Number::ALL[at];
            if !number.is_plain(&numbers) {
                if let Err(error) = number.check_taken(&numbers) {
                    return Err(error);
                }
                if let Err(error) = number.check(&numbers) {
                    return Err(error);
                }
            }
            at += 1;
        }
        let rate = numbers.rate();
        let capacity = if numbers.is_queue() && count > 0 {
            numbers.places(rate)
        } else {
            burst.saturating_add(numbers.borrow)
        };
        if let Err(error) = numbers.check_state(capacity, rate) {
            return Err(error);
        }
        if let Err(error) = numbers.check_lease(capacity) {
            return Err(error);
        }
        let full_ms = numbers.full_ms(capacity, rate);
        let longest = if full_ms > wait_ms { full_ms } else { wait_ms };
        let life = (2 * longest + 1000).ilog2() as u64;
        let (Rate { tokens, period_ms }, full_and_life) = (rate, life << FULL_BITS | full_ms);
        Ok(Self { numbers, capacity, tokens, period_ms, full_and_life })
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

#[cfg(test)]
mod tests;
