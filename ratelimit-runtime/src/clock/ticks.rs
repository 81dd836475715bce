//! Reads the system's monotonic clock quickly. A thread reads the clock itself once per millisecond. In between, the
//! processor's counter of ticks says how much time has passed.

use quanta::Clock;
use std::cell::Cell;
use std::sync::LazyLock;
use std::time::Instant;

/// How long a thread uses the counter after it has read the clock, in nanoseconds. An error of the counter's rate of 1 in
/// 1000 is then an error of at most 1 us, and does not add up.
const LONGEST: u64 = 1_000_000;

/// The most nanoseconds between the two readings of an anchor. If it takes longer, the thread was interrupted in between.
const LONGEST_READING: u64 = 1000;

/// The clock and the counter at the same time.
#[derive(Clone, Copy)]
struct Anchor {
    ticks: u64,
    nanos: u64,
}

impl Anchor {
    /// Before the first reading.
    const NONE: Self = Self { ticks: u64::MAX, nanos: 0 };
}

thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor::NONE) };
}

/// The counter, its rate, and the start of [`nanos`].
struct Source {
    /// Without a usable counter, quanta reads the system's clock instead.
    counter: Clock,
    /// The nanoseconds in 2^32 ticks.
    rate: u64,
    /// The ticks in [`LONGEST`].
    longest: u64,
    start: Instant,
}

static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    let counter = Clock::new();
    let rate = counter.delta_as_nanos(0, 1 << 32).max(1);
    Source { counter, rate, longest: (LONGEST << 32) / rate, start: Instant::now() }
});

/// The time of the system's monotonic clock since the first call in this process, in nanoseconds.
#[inline]
pub(crate) fn nanos() -> u64 {
    let source = &*SOURCE;
    let (ticks, anchor) = (source.counter.raw(), ANCHOR.get());
    // A counter that has stepped back, as after a suspension, is not used.
    match ticks.checked_sub(anchor.ticks) {
        // The product is below 2^52.
        Some(passed) if passed < source.longest => anchor.nanos + ((passed * source.rate) >> 32),
        _ => read(ticks),
    }
}

/// Reads the clock itself.
#[cold]
fn read(ticks: u64) -> u64 {
    let Source { counter, start, .. } = &*SOURCE;
    let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX / 2);
    let took = counter.delta_as_nanos(ticks, counter.raw());
    ANCHOR.set(if took < LONGEST_READING { Anchor { ticks, nanos } } else { Anchor::NONE });
    nanos
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
}
