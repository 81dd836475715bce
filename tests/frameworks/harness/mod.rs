//! Helpers for the tests of all frameworks: limiters on each store, clients, answers, and the contract that every framework
//! keeps.

pub(crate) mod answers;
pub(crate) mod client;
pub(crate) mod contract;
pub(crate) mod hostile;
pub(crate) mod limiters;
pub(crate) mod server;
#[cfg(target_os = "linux")]
pub(crate) mod unix;
