//! Where servers are: single servers, clusters, sentinels, sockets and TLS; failovers, moved slots and wrong URLs.

mod any_slot;
pub(crate) mod cluster_failover;
pub(crate) mod same_decisions;
mod sentinel_failover;
pub(crate) mod slots;
mod slow_nodes;
mod tls;
pub(crate) mod wrong_urls;
