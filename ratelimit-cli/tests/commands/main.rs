//! Tests of the command: its output and its changes, on private servers.

#![expect(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "test code")]

mod bad_input;
mod block;
mod cluster;
mod command_line;
mod doctor;
mod engines;
mod harness;
mod hashes;
mod library;
mod list;
mod missing_node;
mod overrides;
mod peek;
mod permissions;
mod plan;
mod project;
mod published;
mod reset;
mod schemes;
mod secrets;
mod terminal;
mod top;
mod undo;
