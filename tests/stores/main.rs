//! Tests of the stores: the scripts in Redis and their Rust twins in memory, also under faults, in clusters and in real time.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a panic here is a failed test, and its message the report"
)]

mod algorithms;
mod batches;
mod bounds;
mod conformance;
mod exhaustive;
mod faults;
mod harness;
mod histories;
mod interleavings;
mod interpreter;
mod limiter;
mod models;
mod permits;
mod privacy;
mod runtimes;
mod scripts;
mod topology;
