//! The locations of servers: single servers, clusters, sentinels, sockets and TLS. Also tests failovers, moved slots and wrong
//! URLs.

mod announced;
mod any_slot;
mod cluster_failover;
mod left_behind;
mod same_decisions;
mod sentinel_failover;
mod slow_nodes;
mod tls;
pub(crate) mod wrong_urls;
