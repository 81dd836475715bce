//! Limits of generated code: from constants at compile time, from expressions at each call.

use crate::limit::rules::violation::{ZERO_BURST, ZERO_COUNT};
use crate::limit::{Limit, LimitError, Refill};
use core::time::Duration;

/// A limit that is one already. A function of ours, for what the compiler says about a value that is none.
///
/// # Errors
///
/// Never.
pub const fn value(limit: Limit) -> Result<Limit, LimitError> {
    Ok(limit)
}

/// As [`Limit::try_counter`].
///
/// # Errors
///
/// As there.
pub const fn counter(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_counter(count, time)
}

/// As [`Limit::try_token_bucket`].
///
/// # Errors
///
/// As there.
pub const fn token_bucket(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_token_bucket(count, time)
}

/// As [`Limit::try_sliding_window`].
///
/// # Errors
///
/// As there.
pub const fn sliding_window(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_sliding_window(count, time)
}

/// As [`Limit::try_sliding_log`].
///
/// # Errors
///
/// As there.
pub const fn sliding_log(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_sliding_log(count, time)
}

/// As [`Limit::try_leaky_bucket`].
///
/// # Errors
///
/// As there.
pub const fn leaky_bucket(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_leaky_bucket(count, time)
}

/// As [`Limit::try_concurrency`].
///
/// # Errors
///
/// As there.
pub const fn concurrency(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_concurrency(count, time)
}

/// As [`Limit::try_burst`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_burst(limit: Result<Limit, LimitError>, burst: u32) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_burst(burst),
        error => error,
    }
}

/// As [`Limit::try_refill`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_refill(limit: Result<Limit, LimitError>, refill: Refill) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_refill(refill),
        error => error,
    }
}

/// As [`Limit::try_borrow`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_borrow(limit: Result<Limit, LimitError>, borrow: u32) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_borrow(borrow),
        error => error,
    }
}

/// As [`Limit::try_wait`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_wait(limit: Result<Limit, LimitError>, wait: Duration) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_wait(wait),
        error => error,
    }
}

/// As [`Limit::try_lease`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_lease(limit: Result<Limit, LimitError>, lease: u32) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_lease(lease),
        error => error,
    }
}

/// As [`Limit::try_lease_auto`].
///
/// # Errors
///
/// As there, or the one that is here already.
pub const fn with_lease_auto(limit: Result<Limit, LimitError>) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_lease_auto(),
        error => error,
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
    assert!(count > 0, "{}", ZERO_COUNT);
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
    assert!(burst > 0, "{}", ZERO_BURST);
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
