//! tonic: what the contract says in the words of gRPC, statuses, streams, peers, and the layer.

mod contract;
mod hostile;
mod layer;
mod messages;
mod peers;
mod service;
mod statuses;
mod streams;
pub(crate) mod wire;
