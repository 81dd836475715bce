//! TODO

pub(crate) mod four_processes;
mod leased_units;
pub(crate) mod processes;
pub(crate) mod proofs;
