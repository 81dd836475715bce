//! Random operations: their generation, execution and comparison, and the shortening of a failing sequence.

mod call;
mod charges;
pub(super) mod date;
mod difference;
pub(super) mod limits;
mod model;
pub mod operations;
mod player;
pub(super) mod sequence;
pub mod shorten;
pub mod traffic;
mod world;
