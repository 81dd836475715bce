//! TODO

pub(crate) mod definitions;
mod extreme_clocks;
mod extreme_limiters;
mod extreme_requests;
mod mixed_limits;
pub(crate) mod random;
mod single_limits;
