//! The limits of the bounds test, by name, for the processes that call them and the one that judges.

use ratelimit::{Limit, Refill};
use std::time::Duration;

/// Long enough that a busy machine does not let a window or a full bucket go to waste.
const HALF_A_SECOND: Duration = Duration::from_millis(500);

pub(crate) fn named(name: &str) -> Option<Limit> {
    match name {
        "counter" => Some(Limit::counter(200, HALF_A_SECOND)),
        "greedy" => Some(Limit::token_bucket(150, HALF_A_SECOND).burst(300)),
        "interval" => Some(Limit::token_bucket(100, HALF_A_SECOND).burst(300).refill(Refill::Interval)),
        _ => None,
    }
}
