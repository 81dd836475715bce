//! The memory store's clock, and one that tests move.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What time it is, for a [`MemoryStore`](crate::MemoryStore).
pub trait Clock: Send + Sync + 'static {
    /// The time since a fixed moment of the clock's own choice. Decisions use whole milliseconds of it, a sliding log
    /// whole microseconds. A step
    /// backwards does no harm beyond its length: limits last that much longer. A time above `u64::MAX` microseconds
    /// counts as that: the clock stands still there, and nothing expires any more.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock, counted from the moment at which it was made.
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

/// A clock that stands still until it is moved: tests need no sleeping.
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
    /// A clock that shows zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward, by whole microseconds. It stops at `u64::MAX` microseconds.
    pub fn advance(&self, by: Duration) {
        let later = |now: u64| Some(now.saturating_add(micros(by)));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
    }

    /// Sets the clock to a time since its zero, backwards too.
    pub fn set(&self, to: Duration) {
        self.0.store(micros(to), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// Whole microseconds, rounded down; `u64::MAX` for what does not fit.
pub(crate) fn micros(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(duration.subsec_micros()))
}
