//! The other crates in the comparison, each used as its documentation recommends.

mod cluster;
mod flexible;
mod front;
pub(crate) mod http;
mod limitador;
mod memory;
mod refused;
mod shared;

pub(crate) use cluster::through_cluster;
pub(crate) use front::front;
pub(crate) use memory::{fresh, kinds};
pub(crate) use refused::refused;
pub(crate) use shared::{cached, through_redis};

use crate::shared::ours::COUNTER;

/// The numbers of limits that admit every call.
const COUNT: u32 = COUNTER.count();
const SECONDS: u64 = COUNTER.time().as_secs();
