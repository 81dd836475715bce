//! Limits: a limit is an algorithm with its numbers, which are checked when the limit is created. This crate is an implementation
//! detail of `ratelimit-runtime`, which re-exports its public types. The attribute checks its literals with the same rules.

mod change;
#[cfg(feature = "serde")]
mod configured;
mod constructors;
mod fitting;
mod lease;
mod options;
#[doc(hidden)]
pub mod rules;
mod text;

pub use change::LimitChange;
pub use rules::{Algorithm, Calendar, LimitError, Refill};
#[doc(hidden)]
pub use rules::{State, Window, Zone};
pub use text::ParseLimitError;

#[doc(hidden)]
pub use rules::block::Block;
use rules::numbers::{FULL_BITS, Numbers, Rate};
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// A rule: how many units are admitted in how much time, and how they are counted.
///
/// A `Limit` is always valid. In a `const`, a wrong number is a compile error. For numbers that are known only at run time, each
/// constructor has a variant with the prefix `try_`.
///
/// ```
/// # use ratelimit_limit as ratelimit;
/// use ratelimit::{Limit, Refill};
/// use std::time::Duration;
///
/// const LOGIN: Limit = Limit::counter(5, Duration::from_secs(60));
/// const REPORTS: Limit = Limit::token_bucket(20, Duration::from_secs(3600)).burst(5).refill(Refill::Interval);
/// const MAILS: Limit = Limit::leaky_bucket(10, Duration::from_secs(1)).wait(Duration::from_secs(2));
///
/// # fn main() -> Result<(), ratelimit::LimitError> {
/// let from_configuration = 7;
/// let limit = Limit::try_counter(from_configuration, Duration::from_secs(1))?;
/// assert!(Limit::try_counter(5, Duration::ZERO).is_err());
/// # let _ = (LOGIN, REPORTS, MAILS, limit);
/// # Ok(()) }
/// ```
///
/// A `count` or `burst` of zero refuses every call. In the code, zero is a mistake, so constructors such as
/// [`counter`](Self::counter) panic; in a `const`, that is a compile error. In a configuration, zero may be intended, so the
/// constructors with `try_`, limits as text and overrides accept it.
///
/// As text, a limit is its algorithm and its numbers. [`str::parse`] reads it:
///
/// ```
/// # use ratelimit_limit as ratelimit;
/// # use ratelimit::Limit;
/// let limit: Limit = "token_bucket count=20 time=1h burst=5".parse()?;
/// assert_eq!(limit.to_string(), "token_bucket count=20 time=1h burst=5");
/// # Ok::<(), ratelimit::ParseLimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq)]
#[must_use]
pub struct Limit {
    numbers: Numbers,
    /// The most units that the limit can hold.
    capacity: u32,
    /// The rate: `count` per `time_ms`, in lowest terms if units come back continuously. `tokens` and `period_ms` are the fields
    /// of a [`Rate`]. They are two separate fields here, because a field of the type `Rate` would enlarge the struct.
    tokens: u32,
    period_ms: u64,
    /// The lowest 56 bits are the time in ms after which nothing of a used-up bucket is in use. The other
    /// bits are the binary logarithm of `life_ms`.
    full_and_life: u64,
}

/// Compares the numbers only, because the other fields follow from them.
impl PartialEq for Limit {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

impl Hash for Limit {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.numbers.hash(hasher);
    }
}

impl Limit {
    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.numbers.algorithm
    }

    /// The number of units per [`time`](Self::time).
    pub const fn count(&self) -> u32 {
        self.numbers.count
    }

    /// The window, the time in which a bucket gets or leaks `count` units, or the lease of a permit. For a calendar window, it is
    /// the greatest length, such as 31 days for a month.
    pub const fn time(&self) -> Duration {
        Duration::from_millis(self.numbers.time_ms)
    }

    /// The calendar window, if the limit has one.
    pub const fn calendar_window(&self) -> Option<Calendar> {
        self.numbers.calendar
    }

    /// Returns the time from `unix_time` (the time since 1970 in UTC) to the end of the calendar window at that time. Returns
    /// `None` if the limit has no calendar window. This method is for authors of stores.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// # mod per { pub use ratelimit_limit::Calendar; }
    /// use ratelimit::Limit;
    /// use std::time::Duration;
    ///
    /// let daily = Limit::calendar(100, per::Calendar::Day).zone("+01:00");
    /// let ten_at_night_in_utc = Duration::from_secs(22 * 3600);
    /// assert_eq!(daily.until_window_ends(ten_at_night_in_utc), Some(Duration::from_secs(3600)));
    /// assert_eq!(Limit::counter(100, Duration::from_secs(60)).until_window_ends(ten_at_night_in_utc), None);
    /// ```
    pub fn until_window_ends(&self, unix_time: Duration) -> Option<Duration> {
        let unix_ms = u64::try_from(unix_time.as_millis()).unwrap_or(u64::MAX);
        self.window().map(|window| Duration::from_millis(window.until_end_ms(unix_ms)))
    }

    /// The offset of the calendar from UTC in minutes: 60 for `+01:00`. `None` if the limit has no calendar window. This method
    /// is for authors of stores whose engine computes the end of a window.
    ///
    /// ```
    /// # use ratelimit_limit as ratelimit;
    /// # mod per { pub use ratelimit_limit::Calendar; }
    /// use ratelimit::Limit;
    ///
    /// let daily = Limit::calendar(100, per::Calendar::Day).zone("-03:30");
    /// assert_eq!(daily.zone_minutes(), Some(-210));
    /// ```
    pub fn zone_minutes(&self) -> Option<i16> {
        self.window().map(|window| window.zone.minutes())
    }

    /// The most units that this limit can hold at once: `burst + borrow` for a bucket, the number of places for a queue, and
    /// `count` for all other limits. A call whose cost is higher can never pass.
    pub const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The longest time that a call may wait for its turn; zero if calls do not wait.
    pub const fn longest_wait(&self) -> Duration {
        Duration::from_millis(self.numbers.wait_ms)
    }

    /// The times for which a refused caller stays refused, one for each further refusal. Empty if the limit has no
    /// [`block`](Self::block).
    pub fn blocks(&self) -> impl Iterator<Item = Duration> + '_ {
        self.numbers.block.steps_ms().map(Duration::from_millis)
    }

    /// Whether the tokens of a bucket come back by [`Refill::Interval`].
    pub const fn refills_by_interval(&self) -> bool {
        self.numbers.refills_by_interval()
    }
}

/// Methods for the stores of `ratelimit-runtime`.
#[doc(hidden)]
impl Limit {
    pub const fn time_ms(&self) -> u64 {
        self.numbers.time_ms
    }

    /// The calendar window with its zone. `None` if the limit has no calendar window.
    #[inline]
    pub const fn window(&self) -> Option<Window> {
        match self.numbers.calendar {
            Some(calendar) => Some(Window { calendar, zone: self.numbers.zone }),
            None => None,
        }
    }

    /// Returns the same limit for a decision at `unix_ms`, in ms since 1970 in UTC: its `time` is the rest of the calendar
    /// window.
    pub const fn at(&self, window: Window, unix_ms: u64) -> Self {
        Self { numbers: Numbers { time_ms: window.until_end_ms(unix_ms), ..self.numbers }, ..*self }
    }

    /// The time as text: `90s`, `1h`, or the word of a calendar window.
    pub fn time_text(&self) -> String {
        rules::duration::show_time(self.numbers.time_ms, self.calendar_window())
    }

    pub const fn wait_ms(&self) -> u64 {
        self.numbers.wait_ms
    }

    #[inline]
    pub const fn block_steps(&self) -> &Block {
        &self.numbers.block
    }

    #[inline]
    pub const fn rate(&self) -> Rate {
        Rate { tokens: self.tokens, period_ms: self.period_ms }
    }

    /// The time in ms after which nothing of a used-up bucket is in use. Zero for other limits.
    #[inline]
    pub const fn full_ms(&self) -> u64 {
        self.full_and_life & ((1 << FULL_BITS) - 1)
    }

    /// The time in ms from the anchor of a bucket to the end of its state, if nothing is in use by then. It is the largest
    /// power of two up to `2 * period + 1000`, where the period is `full_ms`, or the `wait` if that is longer (see
    /// `lua/token_bucket.lua`).
    #[inline]
    pub const fn life_ms(&self) -> u64 {
        1 << (self.full_and_life >> FULL_BITS)
    }

    /// Checks whether callers can share the limit in equal parts.
    pub const fn check_fair(&self) -> Result<(), LimitError> {
        self.numbers.check_fair()
    }

    /// The most units that a caller of a shared bucket leaves to the others: 15/16 of a full bucket, or of `count` if that is less.
    pub const fn largest_reserve(&self) -> u32 {
        let full = if self.capacity < self.numbers.count { self.capacity } else { self.numbers.count };
        full / 16 * 15 + full % 16 * 15 / 16
    }

    /// Whether this is a leaky bucket in which calls wait.
    pub const fn is_queue(&self) -> bool {
        self.numbers.is_queue()
    }

    #[inline]
    pub const fn is_concurrency(&self) -> bool {
        self.numbers.algorithm.is_concurrency()
    }

    #[inline]
    pub const fn is_list(&self) -> bool {
        self.numbers.algorithm.is_list()
    }

    /// Whether the state has a place for a block or a pause.
    pub const fn has_gate(&self) -> bool {
        self.numbers.algorithm.takes(rules::Number::Block)
    }

    #[inline]
    pub const fn is_bucket(&self) -> bool {
        self.numbers.algorithm.is_bucket()
    }

    /// Whether an admitted call is charged at once and for good: it does not wait for a turn, and does not hold a permit.
    pub const fn is_charged_at_once(&self) -> bool {
        !self.is_concurrency() && self.wait_ms() == 0
    }

    /// The time by which `units` more units delay the moment when nothing of a bucket is in use. Zero if
    /// units come back together: at the end of a window or by interval.
    pub fn refill_time(&self, units: u32) -> Duration {
        let comes_one_by_one = self.is_bucket() && !self.refills_by_interval();
        let nanos = u128::from(units) * self.time().as_nanos() / u128::from(self.count().max(1));
        let nanos = if comes_one_by_one { nanos } else { 0 };
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Whether every call is refused, whatever the state is.
    pub const fn refuses_all(&self) -> bool {
        self.numbers.count == 0 || self.capacity == 0
    }

    /// A limit of this algorithm, with numbers that are valid for every algorithm.
    pub const fn any_of(algorithm: Algorithm) -> Self {
        constructors::must(Self::plain(algorithm, 1, Duration::from_secs(1)))
    }

    /// The state that a store keeps for the limit.
    #[inline]
    pub const fn state(&self) -> State {
        self.numbers.algorithm.state()
    }

    /// The last part of a key, such as `c2`: a code for the algorithm and the version of its state format.
    pub const fn state_format(&self) -> &'static str {
        self.numbers.algorithm.state_format()
    }

    /// The longest time in ms for which a charge stays in use, for a call that did not wait. The scripts compute the same number.
    #[inline]
    pub const fn longest_reset_ms(&self) -> u64 {
        let algorithm = self.numbers.algorithm;
        if algorithm.is_bucket() { self.full_ms() } else { algorithm.windows() * self.numbers.time_ms }
    }
}

#[cfg(test)]
mod tests;
