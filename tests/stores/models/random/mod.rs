//! Random operations: how they are generated, made and compared, and how a failing sequence is shortened.

pub(crate) mod extremes;
pub(crate) mod mixed_traffic;
pub(crate) mod operations;
pub(crate) mod shrink;

pub(crate) use ratelimit::__testing::conformance::{shorten, traffic};
