//! TODO

pub(crate) mod arguments;
pub(crate) mod foreign_keys;
mod merged_requests;
mod mutants;
mod permissions;
mod stored_keys;
