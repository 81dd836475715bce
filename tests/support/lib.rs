//! Private Redis servers for the integration tests: single servers, Sentinels and clusters; functions to inspect
//! their contents; a proxy that disturbs connections; and the programs of examples.
//!
//! ```no_run
//! let mut server = support::RedisServer::builder().persistent().start();
//! let client = redis::Client::open(server.url())?;
//! server.kill();
//! // The code under test meets a dead server here.
//! server.restart();
//! assert_eq!(server.keys_without_ttl(), 0);
//! # Ok::<(), redis::RedisError>(())
//! ```
//!
//! Every server has its own loopback port and temporary directory, so tests run in parallel. A server stops when its value is
//! dropped, and also when the test process is killed. All calls block for a few milliseconds, which is acceptable on a
//! multi-threaded tokio runtime.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "test code: a panic here is a failed test, and its message the report"
)]

mod builder;
mod certificates;
mod cluster;
mod directory;
mod durations;
mod events;
mod example;
mod fake;
#[cfg(test)]
mod harness_tests;
mod keyspace;
mod limited;
mod nginx;
mod ports;
mod prometheus;
mod proxy;
#[cfg(test)]
mod proxy_tests;
mod sentinels;
mod server;
mod stub;
mod wait;
mod watchdog;

pub use builder::RedisServerBuilder;
pub use certificates::{Certificates, has_tls};
pub use cluster::Cluster;
pub use durations::{DAY, HOUR, MINUTE, MS, SECOND};
pub use events::{Event, take_events};
pub use example::{cargo, example};
pub use fake::FakeServer;
pub use nginx::Nginx;
pub use prometheus::Prometheus;
pub use proxy::{Proxy, Traffic};
pub use sentinels::Sentinels;
pub use server::RedisServer;
pub use stub::StubStore;
