//! The date of a store's clock, for calendar windows.

use super::MemoryStore;
use crate::clock::Clock;
use crate::limit::Limit;
use std::sync::atomic::{AtomicU64, Ordering};

/// The date is corrected if it differs from the date of the clock by this many ms or more: at the start, and after the clock
/// was set.
const LARGEST_ERROR_MS: u64 = 1000;

impl<C: Clock> MemoryStore<C> {
    /// Returns the limit for a decision at this time, with the rest of the calendar window as `time`. Returns `None` if the
    /// limit has no calendar windows.
    pub(super) fn dated(&self, limit: &Limit, now_us: u64) -> Option<Limit> {
        let window = limit.window()?;
        Some(limit.at(window, unix_ms(&self.behind_unix_ms, now_us / 1000, self.clock.unix_ms())))
    }
}

/// Returns the date, in ms since 1970, at the time `now` of a store's clock. `behind` is the difference between the date and
/// that time, and `read` is the date that the clock returned just now. All calendar windows use the same `behind`, so that a
/// window ends in the same millisecond for all of its calls.
fn unix_ms(behind: &AtomicU64, now: u64, read: u64) -> u64 {
    let known = behind.load(Ordering::Relaxed);
    let date = now.wrapping_add(known);
    if date.abs_diff(read) < LARGEST_ERROR_MS {
        return date;
    }
    let _ = behind.compare_exchange(known, read.wrapping_sub(now), Ordering::Relaxed, Ordering::Relaxed);
    now.wrapping_add(behind.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_follows_a_clock_that_was_set_but_not_its_small_errors() {
        let behind = AtomicU64::default();
        for (now, read, expected) in [
            (5, 1_000_000, 1_000_000),
            (105, 1_001_099, 1_000_100),
            (205, 1_001_200, 1_001_200),
            (305, 1_000_301, 1_001_300),
            (405, 1_000_400, 1_000_400),
        ] {
            assert_eq!(unix_ms(&behind, now, read), expected);
        }
    }
}
