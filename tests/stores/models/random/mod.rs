//! Random operations: generates, makes and compares them, and shortens a failing sequence.

pub(crate) mod extremes;
pub(crate) mod mixed_traffic;
pub(crate) mod operations;
pub(crate) mod shrink;

pub(crate) use ratelimit::__testing::conformance::{shorten, traffic};
