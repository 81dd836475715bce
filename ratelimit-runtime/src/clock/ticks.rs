//! Reads the system's monotonic clock quickly. A thread reads the clock itself about once per millisecond. In between, the
//! processor's counter of ticks tells how much time has passed.

use super::micros;
use quanta::Clock;
use std::cell::Cell;
use std::sync::LazyLock;
use tokio::time::Instant;

/// The time in nanoseconds for which a thread uses the counter after it has read the clock. If the rate of the counter is wrong
/// by 1 in 1000, the time is then wrong by at most 1 us, and errors do not add up.
const LONGEST: u64 = 1_000_000;

/// The longest time in nanoseconds for reading an anchor. If reading takes longer, the thread was interrupted between the clock
/// and the counter, so the anchor is not used.
const LONGEST_READING: u64 = 1000;

/// The values of the clock and the counter at the same moment.
#[derive(Clone, Copy)]
struct Anchor {
    ticks: u64,
    nanos: u64,
}

impl Anchor {
    /// The anchor of a thread before its first reading, and after an interrupted reading.
    const NONE: Self = Self { ticks: u64::MAX, nanos: 0 };
}

thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor::NONE) };
}

/// The counter that [`nanos`] reads, its rate, and the start of the time.
struct Source {
    /// The processor's counter. Without a usable counter, quanta reads the system's clock instead.
    counter: Clock,
    /// The number of nanoseconds in 2^32 ticks.
    rate: u64,
    /// The number of ticks in [`LONGEST`].
    longest: u64,
    start: std::time::Instant,
}

static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    let counter = Clock::new();
    let rate = counter.delta_as_nanos(0, 1 << 32).max(1);
    Source { counter, rate, longest: (LONGEST << 32) / rate, start: std::time::Instant::now() }
});

/// The time of the system's monotonic clock since the first call in this process.
#[inline]
pub(crate) fn nanos() -> u64 {
    let source = &*SOURCE;
    let (ticks, anchor) = (source.counter.raw(), ANCHOR.get());
    // If the counter has stepped back, as it may after a suspension, the time is read from the system.
    match ticks.checked_sub(anchor.ticks) {
        // The product is below 2^52, so it does not overflow.
        Some(passed) if passed < source.longest => anchor.nanos + ((passed * source.rate) >> 32),
        _ => read(ticks),
    }
}

/// Reads the clock itself, and sets the anchor of this thread.
#[cold]
fn read(ticks: u64) -> u64 {
    let Source { counter, start, .. } = &*SOURCE;
    let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX / 2);
    let took = counter.delta_as_nanos(ticks, counter.raw());
    ANCHOR.set(if took < LONGEST_READING { Anchor { ticks, nanos } } else { Anchor::NONE });
    nanos
}

/// Whether this build can pause tokio's clock, because tokio has its feature `test-util`.
const CAN_PAUSE: bool = {
    #[allow(unused_imports, clippy::wildcard_imports, reason = "it has no `resume` without the feature")]
    use tokio::time::*;
    is_of_tokio(resume)
};

/// Has the name of a function of tokio. If tokio has that function, `resume` in [`CAN_PAUSE`] means tokio's function. Otherwise
/// it means this function.
#[allow(dead_code, reason = "not used if tokio has its own")]
const fn resume() -> NotOfTokio {
    NotOfTokio
}

struct NotOfTokio;

/// The return type of a function `resume`, which tells whether the function is tokio's.
trait Returned {
    const IS_OF_TOKIO: bool;
}

impl Returned for NotOfTokio {
    const IS_OF_TOKIO: bool = false;
}

impl Returned for () {
    const IS_OF_TOKIO: bool = true;
}

const fn is_of_tokio<R: Returned>(_: fn() -> R) -> bool {
    R::IS_OF_TOKIO
}

/// Counts the microseconds of tokio's clock since the timer was started. If tests can pause tokio's clock, the timer reads it.
/// Otherwise it reads the processor's counter, which takes less time.
pub(crate) struct Timer {
    start: Instant,
    start_nanos: u64,
}

impl Timer {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), start_nanos: nanos() }
    }

    /// The time since the start.
    #[inline]
    pub(crate) fn micros(&self) -> u64 {
        if CAN_PAUSE {
            return self.micros_at(Instant::now());
        }
        nanos().saturating_sub(self.start_nanos) / 1000
    }

    /// A moment before the start counts as the start.
    pub(crate) fn micros_at(&self, moment: Instant) -> u64 {
        micros(moment.saturating_duration_since(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_time_is_that_of_the_system() {
        nanos(); // measures the rate of the counter, which takes about a millisecond
        let (start, first) = (Instant::now(), nanos());
        let mut last = first;
        while start.elapsed() < Duration::from_millis(20) {
            let (before, now, after) = (start.elapsed(), nanos(), start.elapsed());
            let passed = Duration::from_nanos(now - first);
            let error = Duration::from_micros(100);
            assert!(passed + error >= before && passed <= after + error, "{before:?} {passed:?} {after:?}");
            assert!(now + 10_000 >= last, "stepped back by {} ns", last - now);
            last = now;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_follows_the_paused_clock() {
        let timer = Timer::start();
        assert_eq!(timer.micros(), 0);
        tokio::time::advance(Duration::from_secs(7)).await;
        assert_eq!(timer.micros(), 7_000_000);
    }
}
