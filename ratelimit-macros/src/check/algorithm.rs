//! How a limit counts: the algorithm by its word, and the arguments that only some algorithms take.

use super::number::{number, number_or_zero};
use super::word::{self, word};
use crate::args::Arguments;
use crate::errors::Errors;
use crate::item::Item;
use crate::model::Algorithm;

const ALGORITHMS: [&str; 6] =
    ["counter", "token_bucket", "sliding_window", "sliding_log", "leaky_bucket", "concurrency"];

/// What other libraries call them, and which of ours that is.
const FOREIGN: word::Foreign = &[
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

pub(super) fn algorithm(arguments: &Arguments, item: &Item, errors: &mut Errors) -> Algorithm {
    let name = name(arguments, errors);
    let burst = number("burst", arguments, item, errors);
    let refill = word("refill", &["greedy", "interval"], &[], arguments, errors);
    let borrow = number_or_zero("borrow", arguments, item, errors);
    // Of an algorithm that is not clear nothing more can be said.
    let Some(name) = name else { return Algorithm::Counter };
    check_taken(&name, arguments, errors);
    match name.as_str() {
        "token_bucket" => {
            Algorithm::TokenBucket { burst, interval: refill.as_deref() == Some("interval"), borrow }
        }
        "sliding_window" => Algorithm::SlidingWindow,
        "sliding_log" => Algorithm::SlidingLog,
        "leaky_bucket" => Algorithm::LeakyBucket { burst },
        "concurrency" => Algorithm::Concurrency,
        _ => Algorithm::Counter,
    }
}

/// The word of the algorithm, unless it is wrong, or may have been lost in something else that is.
fn name(arguments: &Arguments, errors: &mut Errors) -> Option<String> {
    if arguments.get("algorithm").is_none() {
        return arguments.complete.then(|| "counter".to_owned());
    }
    word("algorithm", &ALGORITHMS, FOREIGN, arguments, errors)
}

/// Arguments that this algorithm does not take.
fn check_taken(name: &str, arguments: &Arguments, errors: &mut Errors) {
    let bucket = matches!(name, "token_bucket" | "leaky_bucket");
    if let Some(burst) = arguments.get("burst") {
        if !bucket {
            errors.on(&burst.name, "`burst` needs a bucket: add `algorithm = \"token_bucket\"`");
        } else if name == "leaky_bucket" && arguments.get("wait").is_some() {
            errors.on(
                &burst.name,
                "`burst` has no say here: a leaky bucket with `wait` is a queue, as long as `wait` allows; remove one of them",
            );
        }
    }
    for given in ["refill", "borrow"].into_iter().filter_map(|name| arguments.get(name)) {
        if name != "token_bucket" {
            let argument = &given.name;
            errors.on(
                argument,
                format!("`{argument}` needs a token bucket: write `algorithm = \"token_bucket\"`"),
            );
        }
    }
}
