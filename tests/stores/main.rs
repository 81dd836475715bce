//! The stores: the script against the Rust twin and both against the definitions, faults, bounds in real time.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a panic here is a failed test, and its message the report"
)]

mod algorithms;
mod batches;
mod bounds;
mod faults;
mod harness;
mod interleavings;
mod limiter;
mod models;
mod permits;
mod privacy;
mod runtimes;
mod scripts;
mod topology;
