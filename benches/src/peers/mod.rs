//! The crates that ours is compared with, each used as its documentation says.

mod cluster;
mod flexible;
mod limitador;
mod memory;
mod refused;
mod shared;

pub(crate) use cluster::through_cluster;
pub(crate) use memory::{fresh, kinds};
pub(crate) use refused::refused;
pub(crate) use shared::{cached, through_redis};
