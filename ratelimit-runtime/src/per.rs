//! Lengths of time for the constructors of a [`Limit`](crate::Limit) and for the `time` of an attribute.
//!
//! ```
//! use ratelimit::{Limit, per};
//!
//! const SEARCHES: Limit = Limit::counter(100, per::MINUTE);
//! const UPLOADS: Limit = Limit::token_bucket(1000, per::DAY).burst(50);
//! const QUOTA: Limit = Limit::calendar(10_000, per::Calendar::Month).zone("+01:00");
//! assert_eq!(SEARCHES, "counter count=100 time=1m".parse().unwrap());
//! ```

pub use crate::limit::Calendar;
use std::time::Duration;

/// One second.
pub const SECOND: Duration = Duration::from_secs(1);

/// 60 seconds.
pub const MINUTE: Duration = Duration::from_secs(60);

/// 3600 seconds.
pub const HOUR: Duration = Duration::from_secs(3600);

/// 86 400 seconds.
pub const DAY: Duration = Duration::from_secs(86_400);
