//! The bounds of the numbers of a limit.
//!
//! Lua stores numbers as doubles, so the scripts count exactly below 2^53. These bounds keep every state below that.

/// The longest `time` and `wait`, and the longest time in which a bucket may refill: 366 days.
pub const MAX_TIME_MS: u64 = 366 * 24 * 3600 * 1000;
/// The largest `count` and the largest capacity of a bucket. The level and the clock of a bucket share one integer.
pub const MAX_BUCKET: u32 = 1 << 25;
/// The largest sum of the units that a bucket can hold and the units that can wait for their turn.
pub const MAX_LEVEL: u128 = 1 << 26;
/// The largest `count` of a sliding window. The state stores two windows in one integer. A window may be in debt by one `count`,
/// so each of the two needs room for `2 * count` units.
pub const MAX_WINDOW: u32 = (1 << 25) - 1;
/// The largest `count` of a log or a concurrency limit, which store each unit.
pub const MAX_STORED: u32 = 10_000;
/// The shortest lease of a permit: it must outlast short network failures.
pub const MIN_LEASE_MS: u64 = 1000;
/// Integers below this one are exact in Lua.
pub const EXACT: u128 = 1 << 53;
