//! Compares the scripts and their Rust twins with the definitions, by random operations under a clock that the tests move.

mod extreme_clocks;
mod extreme_limiters;
mod extreme_requests;
mod learned_costs;
pub(crate) mod limits;
mod mixed_limits;
mod promises;
pub(crate) mod random;
mod shared_limits;
mod shared_twins;
mod single_limits;

pub(crate) use ratelimit::__testing::conformance::definitions;
