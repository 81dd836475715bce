//! Checks `algorithm` and `refill`, and reports arguments that the algorithm does not take.

use super::checker::Checker;
use super::word::Foreign;
use crate::model::{Algorithm, Refill};

/// The names of the algorithms in other libraries, each group with a text that names the algorithm of this library.
const FOREIGN: Foreign = &[
    (&["fixed_window", "fixed", "window", "window_counter"], "is called `counter`"),
    (&["bucket", "token", "tokens"], "is called `token_bucket`"),
    (&["gcra"], "is `token_bucket`, or without bursts `leaky_bucket`"),
    (
        &["sliding", "sliding_window_counter", "sliding_counter", "approximated_sliding_window"],
        "is called `sliding_window`",
    ),
    (&["sliding_window_log", "log", "moving_window", "rolling_window"], "is called `sliding_log`"),
    (&["leaky", "queue", "throttle", "shaping", "pacing"], "is called `leaky_bucket`"),
    (&["semaphore", "bulkhead", "max_concurrent", "concurrent", "in_flight"], "is called `concurrency`"),
];

impl Checker<'_> {
    /// Reads the algorithm. `None` if its word is wrong, or if `algorithm` may be among the arguments that could not be read.
    pub(super) fn algorithm(&mut self) -> Option<Algorithm> {
        if self.given("algorithm").is_none() {
            return self.arguments.complete.then_some(Algorithm::Counter);
        }
        let name = self.word("algorithm", &Algorithm::ALL.map(Algorithm::as_str), FOREIGN)?;
        Algorithm::named(&name)
    }

    pub(super) fn refill(&mut self) -> Refill {
        let name = self.word("refill", &["greedy", "interval"], &[]);
        name.and_then(|name| Refill::named(&name)).unwrap_or_default()
    }

    /// Reports arguments that this algorithm does not take.
    pub(super) fn check_taken(&mut self, algorithm: Algorithm) {
        let waits = self.given("wait").is_some();
        for (name, taken) in [
            ("burst", algorithm.check_takes_burst(waits)),
            ("refill", algorithm.check_takes_refill()),
            ("borrow", algorithm.check_takes_borrow()),
        ] {
            if let (Some(given), Err(violation)) = (self.given(name), taken) {
                self.error_on_name(given, violation);
            }
        }
    }
}
