//! The behaviour of the attribute: limited functions that really run, on the memory store and a clock that tests move.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in helpers of tests: a panic is a failed test"
)]

mod generated_code;
mod harness;
mod identities;
mod items;
mod limits;
mod rejections;
