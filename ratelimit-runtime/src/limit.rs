//! Re-exports the limits, which are in a separate crate.

pub use ratelimit_limit::*;
