//! Clocks of the memory store: the system's clock, and a clock that tests move.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of a [`MemoryStore`](crate::MemoryStore).
pub trait Clock: Send + Sync + 'static {
    /// The time since a fixed start, which the clock chooses. Decisions use whole milliseconds; a sliding log uses whole
    /// microseconds.
    ///
    /// If the clock steps back, limits last longer by the step. A time above `u64::MAX` microseconds counts as `u64::MAX`
    /// microseconds, so nothing expires after that.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock. Its time starts at zero when it is created.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock that stands still until a test moves it, so that tests need no sleeping.
///
/// Clones share the time.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::{Limit, ManualClock, MemoryStore, RateLimiter};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build().await?;
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
    /// Creates a clock at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward by whole microseconds, at most to `u64::MAX` microseconds.
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

/// The duration in whole microseconds, rounded down, at most `u64::MAX`.
pub(crate) fn micros(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(duration.subsec_micros()))
}
