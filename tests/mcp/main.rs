//! Tests of rmcp: limited tools of a real server, called by a real client over a pipe and over HTTP on loopback.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in helpers of tests: a panic is a failed test"
)]
#![allow(clippy::unused_async, clippy::unused_self, reason = "tools are async methods")]

mod clients;
mod harness;
mod permits;
mod processes;
mod results;
mod shared;
mod warnings;
