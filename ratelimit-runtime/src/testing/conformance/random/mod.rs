//! Random operations: their generation, execution and comparison, and the shortening of a failing sequence.

mod charges;
mod difference;
pub mod operations;
pub(super) mod sequence;
pub mod shorten;
pub mod traffic;
