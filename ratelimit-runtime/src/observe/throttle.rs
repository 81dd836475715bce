//! `Throttle`: bounds the rate of a log line, so that a flood of events does not flood the log.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of events of one kind that are not logged yet.
#[derive(Default)]
pub(crate) struct Throttle {
    unreported: AtomicU64,
    /// The time at which the next line is due, in milliseconds since the process counted its first event.
    due_ms: AtomicU64,
}

impl Throttle {
    /// Counts an event. If a line is due, returns the number of events since the last line, including this event.
    pub(crate) fn due(&self, between: Duration) -> Option<u64> {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        self.due_at(ms(START.elapsed()), between)
    }

    /// The next event makes a line at once.
    pub(crate) fn reset(&self) {
        self.due_ms.store(0, Ordering::Relaxed);
    }

    fn due_at(&self, now_ms: u64, between: Duration) -> Option<u64> {
        self.unreported.fetch_add(1, Ordering::Relaxed);
        let due_ms = self.due_ms.load(Ordering::Relaxed);
        let next_ms = now_ms.saturating_add(ms(between));
        // If several threads are here, only one writes the line.
        let writes = now_ms >= due_ms
            && self.due_ms.compare_exchange(due_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        writes.then(|| self.unreported.swap(0, Ordering::Relaxed))
    }
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_makes_one_line_and_every_event_is_counted() {
        let (throttle, between) = (Throttle::default(), Duration::from_secs(10));
        assert_eq!(throttle.due_at(5, between), Some(1));
        for _ in 0..1000 {
            assert_eq!(throttle.due_at(5 + 9_999, between), None);
        }
        assert_eq!(throttle.due_at(5 + 10_000, between), Some(1001));
        assert_eq!(throttle.due_at(5 + 10_001, between), None);
        throttle.reset();
        assert_eq!(throttle.due_at(5 + 10_002, between), Some(2));
    }
}
