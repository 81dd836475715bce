//! The limits of these tests by name. The processes call them, and the test checks the records.

use ratelimit::{Limit, Refill};
use std::time::Duration;
use support::SECOND;

/// A lease that is longer than any stall of a process. If a lease ended early, another process would take the permit.
const LEASE: Duration = Duration::from_secs(60);

/// The size of a lease with which four processes together lease a quarter of 300 units. The next constant is the same for eight
/// processes.
const LEASED: u32 = 300 / 16;
const LEASED_OF_EIGHT: u32 = 300 / 32;

/// Returns the limit with this name, or `None` for an unknown name. The limits have small numbers and long windows. Therefore a
/// machine that stalls for seconds does not let a bucket fill up, and wastes at most one window.
pub(crate) fn named(name: &str) -> Option<Limit> {
    let bucket = Limit::token_bucket(100, SECOND);
    Some(match name {
        "counter" => Limit::counter(300, SECOND),
        "sliding window" => Limit::sliding_window(300, SECOND),
        "sliding log" => Limit::sliding_log(300, SECOND),
        "greedy" => bucket.burst(300),
        "borrowing" => bucket.burst(100).borrow(200),
        "interval" => Limit::token_bucket(50, SECOND / 2).burst(300).refill(Refill::Interval),
        "leased counter" => Limit::counter(300, SECOND).lease(LEASED),
        "leased bucket" => bucket.burst(300).lease(LEASED),
        "counter leased to eight" => Limit::counter(300, SECOND).lease(LEASED_OF_EIGHT),
        "bucket leased to eight" => bucket.burst(300).lease(LEASED_OF_EIGHT),
        "counter leased by itself" => Limit::counter(300, SECOND).lease_auto(),
        "bucket leased by itself" => bucket.burst(300).lease_auto(),
        "meter" => Limit::leaky_bucket(100, SECOND).burst(300),
        // A queue with fewer places than callers, so that it never becomes empty.
        "queue" => Limit::leaky_bucket(50, SECOND).wait(2 * SECOND),
        "permits" => Limit::concurrency(16, LEASE),
        _ => return None,
    })
}
