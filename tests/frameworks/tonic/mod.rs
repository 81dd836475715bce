//! tonic: what the contract says in the words of gRPC, statuses, streams, peers, and the layer.

mod contract;
mod placements;
mod service;
mod streams;
pub(crate) mod wire;
