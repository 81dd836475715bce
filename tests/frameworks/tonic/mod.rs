//! Tests of tonic: the contract in gRPC, statuses, streams, peers, and the layer.

mod contract;
mod hostile;
mod layer;
mod messages;
mod peers;
mod service;
mod statuses;
mod streams;
pub(crate) mod wire;
