//! Tests the bounds that README promises in real time: several processes call one limit, and their records are checked.

mod four_processes;
mod leased_units;
pub(crate) mod processes;
mod proofs;
