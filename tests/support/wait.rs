//! Waits for events in other processes by polling.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest time to wait, which is enough for elections and synchronizations. Interrupted Sentinels try again after ten or
/// twenty seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// Waits until a condition holds. If it does not hold within [`LIMIT`], panics with `what` in the message.
pub(crate) fn until(what: &str, holds: impl FnMut() -> bool) {
    until_or(what, holds, String::new);
}

/// Like [`until`], with an explanation in the message.
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
