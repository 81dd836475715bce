//! Waiting for what other processes do.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// For what takes several processes: an election, a synchronisation.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits until it holds; `what` is for the message when it never does.
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
