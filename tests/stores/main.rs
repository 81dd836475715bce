//! The stores: the script against the Rust twin and both against the definitions, faults, bounds in real time.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a panic here is a failed test, and its message the report"
)]

mod bounds;
mod definitions;
mod differential;
mod faults;
mod keyspace;
mod memory;
mod process;
mod scripts;
mod setup;
mod twins;
