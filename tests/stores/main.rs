//! The stores: the script against the Rust twin and both against the definitions, faults, bounds in real time.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a panic here is a failed test, and its message the report"
)]

mod aborts;
mod blame;
mod bounds;
mod charges;
mod costs;
mod definitions;
mod deny_cache;
mod differential;
mod dropped_calls;
mod echoes;
mod edge_clocks;
mod edge_limiters;
mod edge_twins;
mod edges;
mod eight_runtimes;
mod encrypted;
mod failover;
mod faults;
mod floods;
mod forgotten_scripts;
mod full;
mod garbage;
mod giving;
mod handover;
mod heard;
mod inspect;
mod keyspace;
mod leased;
mod lost_replies;
mod memory;
mod merged;
mod misplaced;
mod mixture;
mod mutants;
mod odd_keys;
mod oracle;
mod outage_costs;
mod outages;
mod override_changes;
mod overrides;
mod pace_model;
mod permissions;
mod permits;
mod process;
mod rates;
mod reconnects;
mod runtimes;
mod scripts;
mod sentinel_failover;
mod setup;
mod shown;
mod slots;
mod slow_servers;
mod smallest;
mod steps;
mod tickets;
mod together;
mod together_faults;
mod topologies;
mod traffic;
mod twins;
mod waiting;
mod wire;
mod workers;
