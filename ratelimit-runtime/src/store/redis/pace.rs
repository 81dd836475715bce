//! Whether a server answers in time. Only its callers know how long that is.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// So many deadlines are missed, one after another, and nobody is answered in between: the server is too slow.
const MANY: u32 = 5;

/// What callers say of a server.
#[derive(Default)]
pub(super) struct Pace {
    /// Deadlines that were missed since a caller was answered.
    missed: AtomicU32,
    /// The longest of them, in µs.
    longest_us: AtomicU64,
}

impl Pace {
    /// A caller is answered.
    pub(super) fn kept(&self) {
        if self.missed.load(Ordering::Relaxed) > 0 {
            self.longest_us.store(0, Ordering::Relaxed);
            self.missed.store(0, Ordering::Relaxed);
        }
    }

    /// A caller has given up after this time. The one that is one too many hears when an answer would have been in time for
    /// some of them.
    pub(super) fn missed(&self, deadline: Duration) -> Option<Duration> {
        let deadline_us = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX);
        let longest_us = self.longest_us.fetch_max(deadline_us, Ordering::Relaxed).max(deadline_us);
        let number = self.missed.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        (number == MANY).then(|| Duration::from_micros(longest_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn five_in_a_row_are_too_many() {
        let pace = Pace::default();
        for deadline in [30, 100, 20, 50] {
            assert_eq!(pace.missed(deadline * MS), None);
        }
        assert_eq!(pace.missed(40 * MS), Some(100 * MS));
        // The others were under way already.
        assert_eq!(pace.missed(40 * MS), None);
        pace.kept();
        for _ in 0..4 {
            assert_eq!(pace.missed(20 * MS), None);
        }
        assert_eq!(pace.missed(20 * MS), Some(20 * MS));
    }

    #[test]
    fn an_answer_in_between_counts_for_the_server() {
        let pace = Pace::default();
        for _ in 0..100 {
            for _ in 0..4 {
                assert_eq!(pace.missed(100 * MS), None);
            }
            pace.kept();
        }
    }
}
