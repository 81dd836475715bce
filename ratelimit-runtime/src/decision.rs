//! `Decision`: the reply of a store to one request.

#[cfg(feature = "serde")]
mod fields;
mod packed;
mod passes;

use crate::clock::{Clock, SystemClock};
use crate::limit::{Limit, State};
pub(crate) use packed::PackedDecision;
use passes::{Micros, Passes, When};
use std::fmt;
use std::time::Duration;

/// The decision of a store about one call.
///
/// | | [`capacity`](Self::capacity) | [`remaining`](Self::remaining) | [`retry_after`](Self::retry_after) | [`reset_after`](Self::reset_after) |
/// |---|---|---|---|---|
/// | counter | `count` | units left in the window | until the window ends | until the window ends |
/// | token bucket | `burst + borrow` | whole tokens left, including tokens that can be borrowed | until enough tokens have come back | until the bucket is full |
/// | sliding window | `count` | units left in the window | until enough units have left the window | until no units are in the window |
/// | sliding log | `count` | units left in the window | until enough units are older than `time` | until all units are older than `time` |
/// | leaky bucket, meter | `burst` | whole units that still fit | until enough units have leaked | until nothing is in use |
/// | leaky bucket, queue | places in the queue | places left | until a call could run at once | until nothing is in use |
/// | concurrency | `count` | permits left | at most until the first lease ends | at most until the last lease ends |
///
/// Times are whole microseconds.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limit = Limit::counter(5, Duration::from_secs(60));
/// let decision = RateLimiter::in_memory().peek(&limit, Key::new("login").by("ann")).await?;
/// assert!(decision.is_allowed());
/// assert_eq!((decision.remaining(), decision.capacity()), (5, 5));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use = "a decision limits nothing unless you check `is_allowed()`"]
pub struct Decision {
    numbers: Unstamped,
    stamp: u64,
}

/// A decision without its stamp: what callers keep of it. It is three words, because results of calls are moved often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unstamped {
    passes: Passes,
    reset_after: Micros,
    capacity: u32,
    remaining: u32,
}

impl Unstamped {
    #[inline]
    pub(crate) const fn decision(self) -> Decision {
        Decision { numbers: self, stamp: 0 }
    }
}

/// The place that has made a decision, and that has charged the units of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    /// The store. Decisions from leased units and from the deny cache count as decisions of the store.
    Store,
    /// The memory of this process, while the store is unavailable.
    Local,
    /// Only the failure policy, so nothing was charged.
    Nobody,
}

impl Decision {
    /// Creates a decision that admits a call, for implementations of a [`Store`](crate::store::Store). Times are rounded up to
    /// microseconds.
    pub const fn allow(limit: &Limit, remaining: u32, reset_after: Duration) -> Self {
        Self::of(limit, remaining, Passes::new(When::InTurn(Micros::ZERO)), Micros::of(reset_after))
    }

    /// Creates a decision that refuses a call, for implementations of a [`Store`](crate::store::Store). `retry_after` is `None`
    /// if the call can never pass.
    pub const fn refuse(
        limit: &Limit,
        remaining: u32,
        retry_after: Option<Duration>,
        reset_after: Duration,
    ) -> Self {
        let passes = match retry_after {
            Some(wait) => Passes::after(limit, Micros::of(wait)),
            None => Passes::new(When::Never),
        };
        Self::of(limit, remaining, passes, Micros::of(reset_after))
    }

    /// For implementations of a [`Store`](crate::store::Store): adds the delay until the call's turn, and the stamp by which
    /// the store finds the charge again.
    pub const fn in_turn(self, delay: Duration, stamp: u64) -> Self {
        let turn = if self.is_allowed() { self.with_passes(When::InTurn(Micros::of(delay))) } else { self };
        turn.with_stamp(stamp)
    }

    /// Creates the decision about a call that can pass after `wait_ms`, or never. The call is admitted if it may wait that long.
    #[inline]
    pub(crate) const fn judged(
        limit: &Limit,
        remaining: u32,
        wait_ms: Option<u64>,
        longest_wait_ms: u64,
        reset_ms: u64,
    ) -> Self {
        let passes = match wait_ms {
            Some(wait) if wait <= longest_wait_ms => Passes::new(When::InTurn(Micros::of_millis(wait))),
            Some(wait) => Passes::after(limit, Micros::of_millis(wait)),
            None => Passes::new(When::Never),
        };
        Self::of(limit, remaining, passes, Micros::of_millis(reset_ms))
    }

    /// Creates a decision without a stamp: nothing was charged, or nobody will return the charge.
    #[inline]
    const fn of(limit: &Limit, remaining: u32, passes: Passes, reset_after: Micros) -> Self {
        Unstamped { passes, reset_after, capacity: limit.capacity(), remaining }.decision()
    }

    #[inline]
    pub(crate) const fn unstamped(self) -> Unstamped {
        self.numbers
    }

    const fn with_passes(self, when: When) -> Self {
        Self { numbers: Unstamped { passes: Passes::new(when), ..self.numbers }, ..self }
    }

    #[inline]
    pub(crate) const fn with_stamp(self, stamp: u64) -> Self {
        Self { stamp, ..self }
    }

    /// Turns the decision into a refusal until `retry_after` has passed.
    pub(crate) const fn refused_until(self, retry_after: Duration) -> Self {
        self.with_passes(When::After(Micros::of(retry_after))).with_stamp(0)
    }

    /// The decision as it would be if these units had not been taken.
    pub(crate) fn after_return(self, limit: &Limit, units: u32) -> Self {
        let remaining = self.remaining().saturating_add(units).min(self.capacity());
        // A counter's window keeps running even if no unit in it is used.
        let is_free = remaining == self.capacity() && limit.state() != State::Counter;
        let rest = self.reset_after().saturating_sub(limit.refill_time(units));
        self.with_remaining(remaining, if is_free { Duration::ZERO } else { rest })
    }

    /// The decision as it would be if these units had been taken too.
    pub(crate) fn after_taking(self, limit: &Limit, units: u32) -> Self {
        let remaining = self.remaining().saturating_sub(units);
        let reset = self.reset_after();
        let starts = reset.is_zero() && units > 0;
        let first = match limit.window() {
            _ if !starts || limit.is_bucket() => Duration::ZERO,
            // The store's clock is not known here, so the clock of this process determines when the window ends.
            Some(window) => Duration::from_millis(window.until_end_ms(SystemClock::default().unix_ms())),
            None => limit.time(),
        };
        self.with_remaining(remaining, reset + first + limit.refill_time(units))
    }

    fn with_remaining(self, remaining: u32, reset_after: Duration) -> Self {
        Self {
            numbers: Unstamped { remaining, reset_after: Micros::of(reset_after), ..self.numbers },
            ..self
        }
    }

    /// Whether the call may run. It must first wait for its [`delay`](Self::delay).
    #[inline]
    pub const fn is_allowed(&self) -> bool {
        self.numbers.passes.is_in_turn()
    }

    /// Returns how long the call must wait for its turn, which is reserved. Zero if the limit has no [`wait`](Limit::wait), or if
    /// the caller does not wait.
    pub const fn delay(&self) -> Duration {
        match self.numbers.passes.when() {
            When::InTurn(delay) => delay.duration(),
            When::After(_) | When::AfterReturn(_) | When::Never => Duration::ZERO,
        }
    }

    /// Returns the most units that the limit can hold at once.
    pub const fn capacity(&self) -> u32 {
        self.numbers.capacity
    }

    /// Returns the units that are left after this call, from 0 to [`capacity`](Self::capacity).
    pub const fn remaining(&self) -> u32 {
        self.numbers.remaining
    }

    /// Returns how long a refused caller must wait: at least 1 ms, rounded up. After exactly this time, a call with the same cost
    /// passes if no other call came. For a concurrency limit, the time is an upper bound, because a permit may be returned at any
    /// time. Web clients do not receive this bound, see [`Rejection::retry_after`](crate::Rejection::retry_after).
    ///
    /// `None` if the call can never pass, because its cost is above what the limit can hold. Also `None` if the call was allowed.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.numbers.passes.when() {
            When::After(wait) | When::AfterReturn(wait) => Some(wait.duration()),
            When::InTurn(_) | When::Never => None,
        }
    }

    /// Whether the call was refused until a permit is returned. The time of the return is not known.
    pub(crate) const fn waits_for_a_return(&self) -> bool {
        matches!(self.numbers.passes.when(), When::AfterReturn(_))
    }

    /// Returns the time until nothing of the limit is in use, if no other call comes. Zero if nothing is in use.
    pub const fn reset_after(&self) -> Duration {
        self.numbers.reset_after.duration()
    }

    /// Returns the stamp of this call's charge: the number by which the deciding store finds the charge again. 0 if nothing was
    /// charged.
    pub const fn stamp(&self) -> u64 {
        self.stamp
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("is_allowed", &self.is_allowed())
            .field("capacity", &self.capacity())
            .field("remaining", &self.remaining())
            .field("delay", &self.delay())
            .field("retry_after", &self.retry_after())
            .field("reset_after", &self.reset_after())
            .field("stamp", &self.stamp())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Calendar;

    const LIMIT: Limit = Limit::counter(5, Duration::from_secs(60));

    #[test]
    fn times_are_rounded_up_to_microseconds() {
        let (short, rounded) = (Duration::from_nanos(1_000_001), Duration::from_micros(1001));
        let allowed = Decision::allow(&LIMIT, 4, short).in_turn(short, 7);
        assert_eq!((allowed.delay(), allowed.reset_after(), allowed.stamp()), (rounded, rounded, 7));
        let refused = Decision::refuse(&LIMIT, 0, Some(short), Duration::MAX);
        assert_eq!(refused.retry_after(), Some(rounded));
        assert_eq!(refused.reset_after(), Duration::from_micros(u64::MAX));
        assert_eq!(Decision::refuse(&LIMIT, 0, None, short).retry_after(), None);
    }

    #[test]
    fn a_refusal_has_no_delay() {
        let second = Duration::from_secs(1);
        let refused = Decision::refuse(&LIMIT, 4, Some(second), second);
        assert!(!refused.is_allowed());
        assert_eq!(refused.in_turn(second, 0), refused);
        assert_eq!((refused.delay(), refused.retry_after()), (Duration::ZERO, Some(second)));
        assert_eq!(Decision::allow(&LIMIT, 4, second).in_turn(second, 1).refused_until(second), refused);
    }

    #[test]
    fn the_first_units_start_what_is_left_of_a_window() {
        let taken = |limit: Limit| Decision::allow(&limit, 5, Duration::ZERO).after_taking(&limit, 2);
        assert_eq!((taken(LIMIT).remaining(), taken(LIMIT).reset_after()), (3, Duration::from_secs(60)));
        let unix_ms = || SystemClock::default().unix_ms();
        for calendar in Calendar::ALL {
            let limit = Limit::calendar(5, calendar);
            let ends = |unix_ms| unix_ms + limit.window().unwrap().until_end_ms(unix_ms);
            let (before, left, after) = (unix_ms(), taken(limit).reset_after(), unix_ms());
            let (from, to) = (ends(before) - after, ends(after) - before);
            assert!((u128::from(from)..=u128::from(to)).contains(&left.as_millis()), "{limit}: {left:?}");
        }
    }

    #[test]
    fn the_longest_times_are_kept() {
        let permits = Limit::concurrency(1, Duration::from_secs(1));
        let longest = Duration::from_millis(1 << 53);
        assert_eq!(Decision::refuse(&LIMIT, 0, Some(longest), longest).retry_after(), Some(longest));
        assert!(Decision::refuse(&LIMIT, 0, Some(Duration::MAX), longest).retry_after() > Some(longest));
        for long in [longest / 4, Duration::MAX] {
            let turn = Decision::allow(&LIMIT, 0, longest).in_turn(long, 0);
            assert!(turn.is_allowed() && turn.delay() >= longest / 4);
            let returned = Decision::refuse(&permits, 0, Some(long), longest);
            assert!(returned.waits_for_a_return() && returned.retry_after() >= Some(longest / 4));
        }
    }

    #[test]
    fn a_decision_is_small() {
        assert!(size_of::<Decision>() <= 32);
    }
}
