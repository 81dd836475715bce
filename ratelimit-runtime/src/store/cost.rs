//! `Cost`: the units that a call takes, and the units that it leaves to others.

/// The units that a call takes and the units that it leaves to others, for the methods of a
/// [`RateLimiter`](crate::RateLimiter). A plain number is a cost that leaves nothing to others.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
/// use ratelimit::{Cost, Limit, RateLimiter, per};
///
/// const EXPORTS: Limit = Limit::counter(100, per::HOUR);
///
/// let limiter = RateLimiter::in_memory();
/// limiter.check_cost(&EXPORTS, "exports", 85).await?;
/// let for_free = Cost::new(1).keep(20); // 20 units stay for those who pay
/// assert!(limiter.check_cost(&EXPORTS, "exports", for_free).await.is_err());
/// assert!(limiter.check_cost(&EXPORTS, "exports", 1).await.is_ok());
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Cost {
    pub(crate) units: u32,
    pub(crate) keep: u32,
}

impl Cost {
    /// Creates the cost of a call that takes `units` units.
    pub const fn new(units: u32) -> Self {
        Self { units, keep: 0 }
    }

    /// Leaves at least `units` units to others: the call passes only if at least this many units are free after it. If the cost
    /// and these units together exceed the limit's [`capacity`](crate::Limit::capacity), the call is always refused. The
    /// default is 0.
    ///
    /// See [`keep`](crate::rate_limit#keep) for the effect on each algorithm and on calls that wait.
    pub const fn keep(self, units: u32) -> Self {
        Self { keep: units, ..self }
    }
}

impl From<u32> for Cost {
    fn from(units: u32) -> Self {
        Self::new(units)
    }
}
