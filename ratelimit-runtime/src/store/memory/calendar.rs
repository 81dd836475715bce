//! `Dates`: the date of a store's clock, for windows of the calendar.

use super::terms::Now;
use crate::clock::Clock;
use crate::limit::Limit;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far the time of a store's clock is behind the time since 1970, in whole ms. All windows of the calendar end by this one
/// number, so that a window ends in the same millisecond for all of its calls.
#[derive(Default)]
pub(super) struct Dates(AtomicU64);

/// The date follows the clock of the system when the two differ by this much: at the start, and after the clock was set.
const LARGEST_ERROR_MS: u64 = 1000;

impl Dates {
    /// The limit at a time. `None` if its windows are not those of the calendar.
    pub(super) fn limit_at(&self, limit: &Limit, clock: &impl Clock, now: Now) -> Option<Limit> {
        let window = limit.window()?;
        Some(limit.at(window, self.unix_ms(clock, now)))
    }

    fn unix_ms(&self, clock: &impl Clock, now: Now) -> u64 {
        let behind = self.0.load(Ordering::Relaxed);
        let read = clock.unix_ms();
        let known = now.ms.wrapping_add(behind);
        if known.abs_diff(read) < LARGEST_ERROR_MS {
            return known;
        }
        let _ =
            self.0.compare_exchange(behind, read.wrapping_sub(now.ms), Ordering::Relaxed, Ordering::Relaxed);
        now.ms.wrapping_add(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::{Dates, Now};
    use crate::clock::Clock;
    use std::time::Duration;

    /// The date of a clock, in ms since 1970.
    struct Date(u64);

    impl Clock for Date {
        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn unix_time(&self) -> Duration {
            Duration::from_millis(self.0)
        }
    }

    #[test]
    fn the_date_follows_a_clock_that_was_set_but_not_its_small_errors() {
        let dates = Dates::default();
        for (ms, read, expected) in [
            (5, 1_000_000, 1_000_000),
            (105, 1_001_099, 1_000_100),
            (205, 1_001_200, 1_001_200),
            (305, 1_000_301, 1_001_300),
            (405, 1_000_400, 1_000_400),
        ] {
            assert_eq!(dates.unix_ms(&Date(read), Now { ms, us: 1000 * ms }), expected);
        }
    }
}
