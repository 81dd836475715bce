//! What the tests of all frameworks share: limiters on each store, clients, and the contract that every framework keeps.

pub(crate) mod client;
pub(crate) mod contract;
pub(crate) mod limiters;
