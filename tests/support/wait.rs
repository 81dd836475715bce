//! Waiting for events in other processes, by polling.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// The upper bound, long enough for elections and synchronizations. Sentinels that were interrupted look again after ten or
/// twenty seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// Waits until a condition holds. `what` is part of the message if it never does.
pub(crate) fn until(what: &str, holds: impl FnMut() -> bool) {
    until_or(what, holds, String::new);
}

/// The same, with an explanation in the message.
pub(crate) fn until_or(what: &str, mut holds: impl FnMut() -> bool, explain: impl Fn() -> String) {
    let deadline = Instant::now() + LIMIT;
    while !holds() {
        assert!(
            Instant::now() <= deadline,
            "in vain: {what}
{}",
            explain()
        );
        sleep(Duration::from_millis(5));
    }
}
