//! Limits, which are a crate of their own.

pub use ratelimit_limit::*;
