//! Checks `algorithm`.

use super::checker::Checker;
use super::word::Foreign;
use crate::model::Algorithm;

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
}
