//! Limits, which are in a separate crate.

pub use ratelimit_limit::*;
