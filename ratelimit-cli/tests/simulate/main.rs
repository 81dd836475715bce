//! Tests of `ratelimit simulate`: runs the command as its users do, and compares its decisions with the decisions of the stores.

#![expect(clippy::panic, clippy::unwrap_used, reason = "test code: a panic is a failed test")]

mod documents;
mod equality;
mod files;
mod harness;
mod input;
mod logs;
mod output;
mod shadow;
