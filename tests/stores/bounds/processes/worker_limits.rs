//! The limits of the bounds test, by name, for the processes that call them and the one that judges.

use ratelimit::{Limit, Refill};
use std::time::Duration;
use support::SECOND;

/// Longer than any stall of a holder: a lease that ends would let another in.
const LEASE: Duration = Duration::from_secs(60);

/// A quarter of 300 units for four processes together, and for eight.
pub(crate) const LEASED: u32 = 300 / 16;
pub(crate) const LEASED_OF_EIGHT: u32 = 300 / 32;

/// Slow ones with a long memory: a machine that stalls for seconds lets no full bucket go to waste, and wastes no more
/// than one window.
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
        // Fewer places than callers, so that it does not run empty.
        "queue" => Limit::leaky_bucket(50, SECOND).wait(2 * SECOND),
        "short holds" | "long holds" => Limit::concurrency(16, LEASE),
        _ => return None,
    })
}

/// For how long a permit is held, and how long a caller pauses that got none.
///
/// Who asks without pause keeps the machine so busy that a permit is under way for longer than it is held: that shows
/// whether there are ever too many. Whether they are put to use is seen when there is time to use them.
pub(crate) const fn pace(name: &str) -> (Duration, Duration) {
    match name.as_bytes() {
        b"long holds" => (SECOND, Duration::from_millis(100)),
        _ => (Duration::from_millis(5), Duration::ZERO),
    }
}
