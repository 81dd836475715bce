//! The scripts and their Rust twins against the definitions, by random operations under a clock that the tests move.

pub(crate) mod definitions;
mod extreme_clocks;
mod extreme_limiters;
mod extreme_requests;
mod mixed_limits;
pub(crate) mod random;
mod single_limits;
