//! The rules of limits, for the runtime and the attribute alike: bounds, error messages, and durations as text.
//!
//! `ratelimit-syntax/src/rules` is a link to this folder, and both packages contain its files. So these files use no other part
//! of either crate.

mod algorithm;
pub(crate) mod bounds;
pub(crate) mod duration;
pub(crate) mod numbers;
pub(crate) mod violation;

pub use algorithm::{Algorithm, Refill};
pub(crate) use violation::Violation;
