//! Limits of every algorithm, so that no list of algorithms lacks one.

use ratelimit::{Algorithm, Limit, Refill};
use std::time::Duration;

/// A limit of each algorithm, and of each way in which tokens come back.
pub(crate) fn each(count: u32, time: Duration) -> Vec<Limit> {
    let plain = Algorithm::ALL.map(|algorithm| Limit::plain(algorithm, count, time).unwrap());
    let by_interval = plain.iter().filter_map(|limit| limit.try_refill(Refill::Interval).ok());
    plain.iter().copied().chain(by_interval).collect()
}

/// Those limits of [`each`] whose units are charged, not held as permits.
pub(crate) fn charging(count: u32, time: Duration) -> Vec<Limit> {
    each(count, time).into_iter().filter(|limit| !limit.is_concurrency()).collect()
}
