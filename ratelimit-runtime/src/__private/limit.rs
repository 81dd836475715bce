//! Builds the limits of generated code: constants are checked at compile time, and other limits are built at each call.

use crate::limit::rules::violation::{ZERO_BURST, ZERO_COUNT};
use crate::limit::{Limit, LimitError, Refill};
use core::time::Duration;

/// The types of a `limit`.
#[diagnostic::on_unimplemented(
    message = "`limit` must be a `Limit` or an `Option<Limit>`, not `{Self}`",
    label = "expected a `Limit`, or an `Option<Limit>` whose `None` means unlimited"
)]
pub trait LimitOrNone {
    /// Returns the limit. `None`: the call is exempt.
    fn limit(self) -> Option<Limit>;
}

impl LimitOrNone for Limit {
    fn limit(self) -> Option<Limit> {
        Some(self)
    }
}

impl LimitOrNone for Option<Limit> {
    fn limit(self) -> Option<Limit> {
        self
    }
}

/// Returns the value of a `limit`.
pub fn value(limit: impl LimitOrNone) -> Option<Limit> {
    limit.limit()
}

/// Applies [`Limit::try_zone`]. If `limit` is already an error, returns that error.
pub fn with_zone(limit: Result<Limit, LimitError>, offset: &str) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_zone(offset))
}

/// Applies [`Limit::try_burst`]. If `limit` is already an error, returns that error.
pub fn with_burst(limit: Result<Limit, LimitError>, burst: u32) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_burst(burst))
}

/// Applies [`Limit::try_refill`]. If `limit` is already an error, returns that error.
pub fn with_refill(limit: Result<Limit, LimitError>, refill: Refill) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_refill(refill))
}

/// Applies [`Limit::try_borrow`]. If `limit` is already an error, returns that error.
pub fn with_borrow(limit: Result<Limit, LimitError>, borrow: u32) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_borrow(borrow))
}

/// Applies [`Limit::try_wait`]. If `limit` is already an error, returns that error.
pub fn with_wait(limit: Result<Limit, LimitError>, wait: Duration) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_wait(wait))
}

/// Adds a lease of `lease` units, but at most half of the limit's capacity. If `limit` is already an error, returns that error.
pub fn with_lease(limit: Result<Limit, LimitError>, lease: u32) -> Result<Limit, LimitError> {
    limit?.with_lease_up_to(lease)
}

/// Applies [`Limit::try_lease_auto`]. If `limit` is already an error, returns that error.
pub fn with_lease_auto(limit: Result<Limit, LimitError>) -> Result<Limit, LimitError> {
    limit.and_then(Limit::try_lease_auto)
}

/// Applies [`Limit::try_block`]. If `limit` is already an error, returns that error.
pub fn with_block(limit: Result<Limit, LimitError>, steps: &[Duration]) -> Result<Limit, LimitError> {
    limit.and_then(|limit| limit.try_block(steps))
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
