//! Counts the deadlines that were missed in a row. The callers report them, because only a caller knows whether a reply is too
//! late.

use super::sync::{AtomicU64, Ordering};
use std::time::Duration;

/// A server is too slow after this many missed deadlines in a row, without a reply in time between them.
const TOO_MANY: u64 = 5;

/// The deadlines that were missed since the last reply in time. One word holds the longest of these deadlines and their number,
/// as `longest_us * COUNTS + number`. So a reply in time clears both values together.
#[derive(Default)]
pub(crate) struct SlowCalls(AtomicU64);

/// The number of values that the count can have. The count does not rise above `COUNTS - 1`.
const COUNTS: u64 = 8;

impl SlowCalls {
    /// Notes that a caller has received a reply in time.
    pub(crate) fn reset(&self) {
        // Many threads share the word, which is nearly always 0. A read is cheaper than a write, so this reads first, and
        // writes only if the word is not 0.
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.store(0, Ordering::Relaxed);
        }
    }

    /// Returns whether too many deadlines were missed in a row.
    pub(crate) fn are_too_many(&self) -> bool {
        self.0.load(Ordering::Relaxed) % COUNTS >= TOO_MANY
    }

    /// Notes that a caller has given up after `deadline`. At the fifth missed deadline in a row, returns the longest of these
    /// deadlines.
    pub(crate) fn missed(&self, deadline: Duration) -> Option<Duration> {
        let deadline_us = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX).min(u64::MAX / COUNTS);
        let next = |word: u64| {
            let (longest_us, count) = (word / COUNTS, word % COUNTS);
            longest_us.max(deadline_us) * COUNTS + (count + 1).min(COUNTS - 1)
        };
        let (Ok(word) | Err(word)) =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| Some(next(word)));
        let word = next(word);
        (word % COUNTS == TOO_MANY).then(|| Duration::from_micros(word / COUNTS))
    }
}
