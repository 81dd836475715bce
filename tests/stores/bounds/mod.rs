//! The bounds that README promises, in real time: several processes call one limit, and their records are checked.

pub(crate) mod four_processes;
mod hiccups;
mod leased_units;
mod partner;
pub(crate) mod processes;
pub(crate) mod proofs;
