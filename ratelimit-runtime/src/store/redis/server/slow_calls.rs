//! Whether a server answers in time. Only its callers know how long that is.

use super::sync::{AtomicU64, Ordering};
use std::time::Duration;

/// So many deadlines are missed, one after another, and nobody is answered in between: the server is too slow.
const MANY: u64 = 5;

/// What callers say of a server since one of them was answered: the longest deadline that was missed, in µs, and in the
/// lowest bits how many were. One word, so that no answer comes between the two.
#[derive(Default)]
pub(crate) struct Pace(AtomicU64);

/// More than [`MANY`] are not told apart.
const NUMBERS: u64 = 8;

impl Pace {
    /// A caller is answered.
    pub(crate) fn kept(&self) {
        // Nearly always there is nothing to forget, and many threads come by.
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.store(0, Ordering::Relaxed);
        }
    }

    /// A caller has given up after this time. The one that is one too many hears when an answer would have been in time for
    /// some of them.
    pub(crate) fn missed(&self, deadline: Duration) -> Option<Duration> {
        let deadline_us = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX).min(u64::MAX / NUMBERS);
        let next = |said: u64| {
            let (longest_us, number) = (said / NUMBERS, said % NUMBERS);
            longest_us.max(deadline_us) * NUMBERS + (number + 1).min(NUMBERS - 1)
        };
        let count = |said| Some(next(said));
        let (Ok(said) | Err(said)) = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        let said = next(said);
        (said % NUMBERS == MANY).then(|| Duration::from_micros(said / NUMBERS))
    }
}
