//! TODO

pub(crate) mod full_use;
pub(crate) mod upper_bounds;
