//! The attribute on everything that it can stand on: each function really runs, and is really limited.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in helpers of tests: a panic is a failed test"
)]

mod afterwards;
mod async_trait;
mod axum_app;
mod blocks;
mod bodies;
mod conditional;
mod distant;
mod events;
mod exempt;
mod failures;
mod footprint;
mod functions;
mod future_methods;
mod futures;
mod guesses;
mod hygiene;
mod identity;
mod instrument;
mod ip;
mod keys;
mod lease_bounds;
mod leases;
mod limiters;
mod lints;
mod made_by_macros;
mod matrix;
mod methods;
mod numbers;
mod odd_shapes;
mod patterns;
mod permits;
mod receivers;
mod returns;
mod send;
mod setup;
mod shadow;
mod stacks;
mod traits;
mod users;
mod waiting;
