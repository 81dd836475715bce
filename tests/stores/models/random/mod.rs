//! TODO

pub(crate) mod extremes;
pub(crate) mod mixed_traffic;
pub(crate) mod operations;
pub(crate) mod shrink;
pub(crate) mod traffic;
