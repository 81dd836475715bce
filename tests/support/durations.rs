//! Durations that many tests use, by name.

use std::time::Duration;

/// One millisecond.
pub const MS: Duration = Duration::from_millis(1);
/// One second.
pub const SECOND: Duration = Duration::from_secs(1);
/// 60 seconds.
pub const MINUTE: Duration = Duration::from_secs(60);
/// 60 minutes.
pub const HOUR: Duration = Duration::from_secs(3600);
/// 24 hours.
pub const DAY: Duration = Duration::from_secs(86_400);
