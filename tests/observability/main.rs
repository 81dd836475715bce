//! Tests of the metrics, traces and hooks of an application's limits.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

mod documentation;
mod hook_queue;
mod hooks;
mod levels;
mod near_limit;
mod outcomes;
mod recorder;
mod refusals;
mod stacks;
mod table;
