//! The shared parts of the scripts, and the names of the algorithms in them.

use crate::models::definitions::calendar::offset;
use crate::models::definitions::{Kind, Numbers};
use ratelimit::__testing;

/// The driver of `decide`, which calls the algorithms.
const DRIVER: &str = concat!(
    include_str!("../../../lua/requests.lua"),
    include_str!("../../../lua/fair.lua"),
    include_str!("../../../lua/decide.lua")
);

/// Returns the shared parts of a script: `head.lua` and the algorithms. Returns `None` if the driver is not the one of
/// `decide`.
pub(super) fn of(decide: &str) -> Option<&str> {
    decide.strip_suffix(DRIVER)
}

/// Returns the script `decide` with these parts. It checks the results that the algorithms return to the driver.
pub(super) fn checked(parts: &str) -> String {
    [parts, include_str!("contract.lua"), DRIVER].concat()
}

pub(super) fn parts() -> &'static str {
    let [decide, _] = __testing::scripts();
    of(decide).expect("the driver comes last")
}

/// Returns the name of the script's algorithm, and its rate in lowest terms.
pub(crate) fn algorithm(numbers: &Numbers) -> (&'static str, u64, u64) {
    if let Some((window, zone)) = numbers.window() {
        let name = match window {
            "hour" => "counter_hour",
            "day" => "counter_day",
            "week" => "counter_week",
            _ => "counter_month",
        };
        return (name, numbers.count.into(), (offset(zone) + 86_400_000).unsigned_abs());
    }
    let (count, time) = (u64::from(numbers.count), numbers.time);
    let (mut divisor, mut rest) = (count, time);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    match numbers.kind {
        Kind::Counter => ("counter", count, time),
        Kind::Greedy => ("token_bucket", count / divisor, time / divisor),
        Kind::Interval => ("token_bucket_interval", count, time),
        Kind::Leaky if numbers.is_queue() => ("leaky_bucket_queue", count / divisor, time / divisor),
        Kind::Leaky => ("leaky_bucket", count / divisor, time / divisor),
        Kind::Window => ("sliding_window", count, time),
        Kind::Log => ("sliding_log", count, time),
        Kind::Concurrency => ("concurrency", count, time),
    }
}
