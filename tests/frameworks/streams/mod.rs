//! `until = "body_end"`: permits and charges that last as long as the response. Each test runs with the memory store and a
//! private Redis server, over HTTP/1.1 and HTTP/2.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in helpers of tests: a panic is a failed test")]

mod charges;
pub(crate) mod contract;
mod hostile;
mod permits;
mod plain;
pub(crate) mod server;
mod sockets;
mod types;
