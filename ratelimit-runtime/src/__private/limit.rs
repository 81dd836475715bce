//! Builds the limits of generated code: constants are checked at compile time, and other limits are built at each call.

use crate::limit::rules::violation::{ZERO_BURST, ZERO_COUNT};
use crate::limit::{Calendar, Limit, LimitError, Refill};
use core::time::Duration;

/// Identity function over `Limit`. It exists to give a clear type error when the value is not a `Limit`.
pub const fn value(limit: Limit) -> Result<Limit, LimitError> {
    Ok(limit)
}

/// [`Limit::try_counter`], for a limit that is built at each call.
pub const fn counter(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_counter(count, time)
}

/// [`Limit::try_calendar`], for a limit that is built at each call.
pub const fn calendar(count: u32, window: Calendar) -> Result<Limit, LimitError> {
    Limit::try_calendar(count, window)
}

/// [`Limit::try_zone`], unless the limit is already an error.
pub const fn with_zone(limit: Result<Limit, LimitError>, offset: &str) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_zone(offset),
        error => error,
    }
}

/// [`Limit::try_token_bucket`], for a limit that is built at each call.
pub const fn token_bucket(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_token_bucket(count, time)
}

/// [`Limit::try_sliding_window`], for a limit that is built at each call.
pub const fn sliding_window(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_sliding_window(count, time)
}

/// [`Limit::try_sliding_log`], for a limit that is built at each call.
pub const fn sliding_log(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_sliding_log(count, time)
}

/// [`Limit::try_leaky_bucket`], for a limit that is built at each call.
pub const fn leaky_bucket(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_leaky_bucket(count, time)
}

/// [`Limit::try_concurrency`], for a limit that is built at each call.
pub const fn concurrency(count: u32, time: Duration) -> Result<Limit, LimitError> {
    Limit::try_concurrency(count, time)
}

/// [`Limit::try_burst`], unless the limit is already an error.
pub const fn with_burst(limit: Result<Limit, LimitError>, burst: u32) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_burst(burst),
        error => error,
    }
}

/// [`Limit::try_refill`], unless the limit is already an error.
pub const fn with_refill(limit: Result<Limit, LimitError>, refill: Refill) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_refill(refill),
        error => error,
    }
}

/// [`Limit::try_borrow`], unless the limit is already an error.
pub const fn with_borrow(limit: Result<Limit, LimitError>, borrow: u32) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_borrow(borrow),
        error => error,
    }
}

/// [`Limit::try_wait`], unless the limit is already an error.
pub const fn with_wait(limit: Result<Limit, LimitError>, wait: Duration) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_wait(wait),
        error => error,
    }
}

/// Adds a lease of at most half of what the limit can hold, unless the limit is already an error.
pub fn with_lease(limit: Result<Limit, LimitError>, lease: u32) -> Result<Limit, LimitError> {
    limit?.with_lease_up_to(lease)
}

/// [`Limit::try_lease_auto`], unless the limit is already an error.
pub const fn with_lease_auto(limit: Result<Limit, LimitError>) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_lease_auto(),
        error => error,
    }
}

/// [`Limit::try_block`], unless the limit is already an error.
pub const fn with_block(limit: Result<Limit, LimitError>, steps: &[Duration]) -> Result<Limit, LimitError> {
    match limit {
        Ok(limit) => limit.try_block(steps),
        error => error,
    }
}

/// Returns a constant `count`, which must not be zero.
///
/// # Panics
///
/// If it is zero. This is a compile error, because only constants call this function.
#[track_caller]
pub const fn count(count: u32) -> u32 {
    assert!(count > 0, "{}", ZERO_COUNT);
    count
}

/// Returns a constant `burst`, which must not be zero.
///
/// # Panics
///
/// If it is zero. This is a compile error, because only constants call this function.
#[track_caller]
pub const fn burst(burst: u32) -> u32 {
    assert!(burst > 0, "{}", ZERO_BURST);
    burst
}

/// Returns a constant `time`, which must be valid for a limit.
///
/// # Panics
///
/// If [`Limit::try_counter`] returns an error. This is a compile error, because only constants call this function.
#[track_caller]
pub const fn time(time: Duration) -> Duration {
    Limit::counter(1, time).time()
}
