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
    /// `None`: the call is exempt.
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

/// Declares functions that give a number to a limit. If `limit` is already an error, they return that error.
macro_rules! with {
    ($($name:ident($($value:ident: $type:ty)?) = $method:ident;)*) => {$(
        pub fn $name(limit: Result<Limit, LimitError>, $($value: $type)?) -> Result<Limit, LimitError> {
            limit?.$method($($value)?)
        }
    )*};
}

// One for each number but `count` and `time`, named after it.
with! {
    with_zone(offset: &str) = try_zone;
    with_burst(burst: u32) = try_burst;
    with_refill(refill: Refill) = try_refill;
    with_borrow(borrow: u32) = try_borrow;
    with_wait(wait: Duration) = try_wait;
    with_lease(lease: u32) = with_lease_up_to;
    with_lease_auto() = try_lease_auto;
    with_block(steps: &[Duration]) = try_block;
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
