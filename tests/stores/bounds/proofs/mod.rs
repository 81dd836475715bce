//! Checks of recorded calls. The exact time of a decision is unknown, so these checks use intervals.

pub(crate) mod full_use;
pub(crate) mod upper_bounds;
