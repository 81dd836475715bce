//! Limits of generated code: from constants at compile time, from expressions at each call.

use crate::limit::{Limit, LimitError, Refill};
use core::time::Duration;

/// A counter from numbers that are known only now.
///
/// # Errors
///
/// As [`Limit::try_counter`].
pub const fn counter(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_counter(count, time)
}

/// A token bucket from numbers that are known only now.
///
/// # Errors
///
/// As [`Limit::try_token_bucket`], [`Limit::try_burst`] and [`Limit::try_refill`].
pub const fn token_bucket(
    count: u32,
    time: Duration,
    burst: Option<u32>,
    refill: Refill,
) -> Result<Limit, LimitError> {
    let limit = match Limit::try_token_bucket(count, time) {
        Ok(limit) => limit.try_refill(refill),
        error => return error,
    };
    match (limit, burst) {
        (Ok(limit), Some(burst)) => limit.try_burst(burst),
        (limit, _) => limit,
    }
}

/// A constant `count`, which has to admit something.
///
/// # Panics
///
/// If it is zero: a compile error, since it is called in constants alone.
#[must_use]
#[track_caller]
pub const fn count(count: u32) -> u32 {
    assert!(count > 0, "`count` has to be at least 1: a limit of zero would refuse every call");
    count
}

/// A constant `burst`, which has to admit something.
///
/// # Panics
///
/// If it is zero: a compile error, since it is called in constants alone.
#[must_use]
#[track_caller]
pub const fn burst(burst: u32) -> u32 {
    assert!(burst > 0, "`burst` has to be at least 1: a bucket of zero would refuse every call");
    burst
}

/// A constant `time`, which has to be one that a limit can have.
///
/// # Panics
///
/// Where [`Limit::try_counter`] returns an error: a compile error, since it is called in constants alone.
#[must_use]
#[track_caller]
pub const fn time(time: Duration) -> Duration {
    Limit::counter(1, time).time()
}
