//! The numbers of a limit, and the rules that hold between them.

use super::block::Block;
use super::bounds::{EXACT, MAX_LEVEL, MAX_TIME_MS, check_bucket, check_lease, check_wait};
use super::{Algorithm, Calendar, Refill, State, Violation, Window};

/// The algorithm and the numbers of a limit. [`check`](Self::check) finds out whether they fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    pub algorithm: Algorithm,
    pub refill: Refill,
    pub count: u32,
    /// The same as `count` for a limit without a `burst`.
    pub burst: u32,
    pub borrow: u32,
    /// The longest window, if the windows are those of the calendar.
    pub time_ms: u64,
    pub calendar: Option<Window>,
    /// Zero for a limit whose calls do not wait.
    pub wait_ms: u64,
    pub lease: Lease,
    pub block: Block,
}

/// How many units a process takes in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lease {
    /// At most this many units. Zero means no lease.
    Most(u32),
    /// A part of what the limit can hold.
    Auto,
}

/// A speed: `tokens` come back in each `period_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    pub tokens: u32,
    pub period_ms: u64,
}

/// Numbers that follow from those of a valid limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Derived {
    /// The most units that the limit can hold.
    pub capacity: u32,
    /// `count` per `time_ms`, in lowest terms where units come back continuously. These two fields are the parts of a [`Rate`],
    /// which as a struct would take more space.
    tokens: u32,
    period_ms: u64,
    /// The lowest 56 bits are the time in ms in which a full bucket refills or leaks. The others are the binary logarithm of
    /// its `life_ms`.
    full_and_life: u64,
}

const FULL_BITS: u32 = 56;

impl Derived {
    pub const fn new(capacity: u32, Rate { tokens, period_ms }: Rate, full_ms: u64, wait_ms: u64) -> Self {
        let longest = if full_ms > wait_ms { full_ms } else { wait_ms };
        let life = (2 * longest + 1000).ilog2() as u64;
        Self { capacity, tokens, period_ms, full_and_life: life << FULL_BITS | full_ms }
    }

    /// The time in ms in which a full bucket refills or leaks. Zero for other limits.
    #[inline]
    pub const fn full_ms(&self) -> u64 {
        self.full_and_life & ((1 << FULL_BITS) - 1)
    }

    /// The time in ms from the anchor of a bucket to the end of its state: the largest power of two up to two periods and one second
    /// (`lua/token_bucket.lua`).
    #[inline]
    pub const fn life_ms(&self) -> u64 {
        1 << (self.full_and_life >> FULL_BITS)
    }

    #[inline]
    pub const fn rate(&self) -> Rate {
        Rate { tokens: self.tokens, period_ms: self.period_ms }
    }
}

impl Numbers {
    /// A limit without any of the optional numbers.
    pub const fn new(algorithm: Algorithm, count: u32, time_ms: u64) -> Self {
        let (refill, lease, block) = (Refill::Greedy, Lease::Most(0), Block::NONE);
        let (calendar, burst, borrow, wait_ms) = (None, count, 0, 0);
        Self { algorithm, refill, count, burst, borrow, time_ms, calendar, wait_ms, lease, block }
    }

    /// The same numbers with windows of the calendar.
    pub const fn with_calendar(self, window: Window) -> Self {
        Self { time_ms: window.calendar.longest_ms(), calendar: Some(window), ..self }
    }

    /// The calendar window without its zone.
    pub const fn calendar(&self) -> Option<Calendar> {
        match self.calendar {
            Some(window) => Some(window.calendar),
            None => None,
        }
    }

    /// Checks all rules.
    pub const fn check(self) -> Result<Derived, Violation> {
        let alone = (
            self.algorithm.check_time(self.time_ms),
            check_wait(self.wait_ms),
            self.algorithm.check_count(self.count),
            self.check_burst(),
            self.check_block(),
        );
        if let (Err(violation), ..)
        | (_, Err(violation), ..)
        | (_, _, Err(violation), ..)
        | (.., Err(violation), _)
        | (.., Err(violation)) = alone
        {
            return Err(violation);
        }
        if self.calendar.is_some()
            && let Err(violation) = self.algorithm.check_takes_calendar(self.wait_ms > 0)
        {
            return Err(violation);
        }
        let rate = self.rate();
        let capacity = if self.is_queue() && self.count > 0 {
            self.places(rate)
        } else {
            self.burst.saturating_add(self.borrow)
        };
        if let Err(violation) = self.check_state(capacity, rate) {
            return Err(violation);
        }
        match self.check_lease(capacity) {
            Ok(()) => Ok(Derived::new(capacity, rate, self.full_ms(capacity, rate), self.wait_ms)),
            Err(violation) => Err(violation),
        }
    }

    pub const fn refills_by_interval(&self) -> bool {
        matches!(self.refill, Refill::Interval)
    }

    /// Whether this is a leaky bucket in which calls wait.
    pub const fn is_queue(&self) -> bool {
        self.algorithm.traits().wait_makes_queue && self.wait_ms > 0
    }

    const fn check_burst(&self) -> Result<(), Violation> {
        if self.burst == self.count { Ok(()) } else { self.algorithm.check_takes_burst(self.wait_ms > 0) }
    }

    /// Checks that the state of the limit stays below 2^53.
    const fn check_state(&self, capacity: u32, rate: Rate) -> Result<(), Violation> {
        let is_exact = match self.algorithm.state() {
            State::Bucket if self.count > 0 => return self.check_level(capacity, rate),
            State::SlidingWindow => EXACT > 4 * self.count as u128 * self.time_ms as u128,
            State::Counter | State::Bucket | State::Log | State::Permits => true,
        };
        if is_exact { Ok(()) } else { Err(Violation::NotExact) }
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

    const fn check_block(&self) -> Result<(), Violation> {
        if self.block.is_none() { Ok(()) } else { self.algorithm.check_takes_block() }
    }

    const fn check_lease(&self, capacity: u32) -> Result<(), Violation> {
        match self.lease {
            Lease::Most(0) => Ok(()),
            _ if !self.block.is_none() => Err(Violation::BlockWithLease),
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

    /// The state of the limit is checked, so the products are far below 2^64.
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

    /// How many calls of a queue can come at once and wait long enough.
    #[expect(clippy::cast_possible_truncation, reason = "if these are too many, so are those that wait")]
    const fn places(&self, rate: Rate) -> u32 {
        (self.waiting(rate) + 1) as u32
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
