//! Random operations: how they are generated, made and compared, and how a failing sequence is shortened.

mod charges;
mod difference;
pub mod operations;
pub(super) mod sequence;
pub mod shorten;
pub mod traffic;
