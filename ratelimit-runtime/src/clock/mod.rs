//! Clocks of the memory store: the system's clock, tokio's clock, and a clock that tests move.

mod deadline;
mod ticks;
pub(crate) mod timer;

pub(crate) use deadline::{DeadlineTimer, until};
pub(crate) use ticks::Timer;
use ticks::nanos;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest time that is added to an `Instant`, about 34 years. Adding it cannot overflow on any platform.
pub(crate) const LONGEST_TIME: Duration = Duration::from_secs(1 << 30);

/// The clock of a [`MemoryStore`](crate::MemoryStore).
///
/// Implement it to use another time, for example simulated time:
///
/// ```
/// use ratelimit::clock::Clock;
/// use ratelimit::{MemoryStore, RateLimiter};
/// use std::time::{Duration, Instant};
///
/// /// Ten times as fast as the system's clock.
/// struct Fast(Instant);
///
/// impl Clock for Fast {
///     fn now(&self) -> Duration {
///         self.0.elapsed() * 10
///     }
/// }
///
/// # fn main() -> Result<(), ratelimit::Error> {
/// let store = MemoryStore::with_clock(Fast(Instant::now()));
/// let limiter = RateLimiter::builder().store(store).build()?;
/// # Ok(()) }
/// ```
pub trait Clock: Send + Sync + 'static {
    /// Returns the time since a fixed start, which the clock chooses. Decisions use whole milliseconds. A sliding log uses whole
    /// microseconds.
    ///
    /// If the clock steps back, limits last longer by that step. A time above `u64::MAX` microseconds counts as `u64::MAX`
    /// microseconds, so nothing expires after that.
    fn now(&self) -> Duration;

    /// Returns the time since 1970 in UTC, for windows of the calendar. The default is [`now`](Self::now), so the clock of a test
    /// starts on Thursday, 1 January 1970.
    fn unix_time(&self) -> Duration {
        self.now()
    }

    #[doc(hidden)]
    fn unix_ms(&self) -> u64 {
        u64::try_from(self.unix_time().as_millis()).unwrap_or(u64::MAX)
    }

    /// In whole microseconds, at most `u64::MAX`.
    #[doc(hidden)]
    #[inline]
    fn now_micros(&self) -> u64 {
        micros(self.now())
    }
}

/// The system's monotonic clock, which is the default clock of [`MemoryStore`](crate::MemoryStore). Its time starts at zero when
/// the clock is created.
///
/// Each thread reads the system's clock about once per millisecond. In between, it reads the processor's counter, which takes a
/// third of the time. Errors do not add up: the time differs from the system's clock by at most about a microsecond. Two
/// threads also differ by at most about a microsecond.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    /// The start, in the time of [`nanos`].
    start: u64,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: nanos() }
    }
}

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Duration {
        Duration::from_nanos(nanos().saturating_sub(self.start))
    }

    fn unix_time(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    #[inline]
    fn now_micros(&self) -> u64 {
        nanos().saturating_sub(self.start) / 1000
    }
}

/// The clock of the memory that decides while a store is unavailable. If tests can pause tokio's clock, it follows that clock, as
/// deadlines do. Otherwise it is the system's clock.
pub(crate) struct OutageClock(Timer);

impl OutageClock {
    pub(crate) fn start() -> Self {
        Self(Timer::start())
    }
}

impl Clock for OutageClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.micros())
    }

    fn unix_time(&self) -> Duration {
        SystemClock { start: 0 }.unix_time()
    }
}

/// tokio's clock, which tests can pause. Its time starts at zero when the clock is created.
///
/// In a test with `#[tokio::test(start_paused = true)]`, limits move with `tokio::time::advance`, and with every sleep that tokio
/// skips. So a call that waits for its turn takes no real time. This needs tokio's feature `test-util`. Without the feature, or
/// while the clock is not paused, this clock is as fast as the system's clock.
///
/// Each call reads the clock of its own runtime. Runtimes pause and advance independently of each other, so use a store with this
/// clock in one runtime only. Outside of a runtime, this clock reads the system's clock.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::clock::TokioClock;
/// use ratelimit::{Limit, MemoryStore, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::builder().store(MemoryStore::with_clock(TokioClock::new())).build()?;
/// let once_a_minute = Limit::counter(1, Duration::from_secs(60));
/// assert!(limiter.check(&once_a_minute, "job").await.is_ok());
/// tokio::time::sleep(Duration::from_secs(59)).await; // takes no real time
/// assert!(limiter.check(&once_a_minute, "job").await.is_err());
/// tokio::time::advance(Duration::from_secs(1)).await;
/// assert!(limiter.check(&once_a_minute, "job").await.is_ok());
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokioClock(tokio::time::Instant);

impl TokioClock {
    /// Creates a clock at zero. It also works outside of a runtime.
    pub fn new() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock that does not move until a test moves it, so that tests need no sleeping.
///
/// Clones share the time.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::clock::ManualClock;
/// use ratelimit::{Limit, MemoryStore, RateLimiter};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build()?;
/// let once_a_minute = Limit::counter(1, Duration::from_secs(60));
/// assert!(limiter.check(&once_a_minute, "job").await.is_ok());
/// assert!(limiter.check(&once_a_minute, "job").await.is_err());
/// clock.advance(Duration::from_secs(60));
/// assert!(limiter.check(&once_a_minute, "job").await.is_ok());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// Creates a clock at zero. For windows of the calendar, this is Thursday, 1 January 1970.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward by whole microseconds, up to `u64::MAX` microseconds.
    pub fn advance(&self, by: Duration) {
        let later = |now: u64| Some(now.saturating_add(micros(by)));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
    }

    /// Sets the time since zero. The clock may go backwards.
    pub fn set(&self, to: Duration) {
        self.0.store(micros(to), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// Converts a duration to whole microseconds, rounded down, at most `u64::MAX`.
#[inline]
pub(crate) fn micros(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(duration.subsec_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn tokios_clock_stands_still_in_a_paused_runtime_and_runs_outside_of_one() {
        let outside = TokioClock::new();
        let paused = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        paused.unwrap().block_on(async {
            let (inside, early) = (TokioClock::new(), outside.now());
            assert_eq!(inside.now(), Duration::ZERO);
            tokio::time::advance(HOUR).await;
            tokio::time::sleep(HOUR).await;
            assert_eq!((inside.now(), outside.now()), (2 * HOUR, early + 2 * HOUR));
        });
        assert!(outside.now() < HOUR, "the system's clock");
    }
}
