//! The scripts in an interpreter of Lua 5.1, without a server: the algorithms by themselves, because their functions are pure, and
//! whole scripts on keys in tables.

mod algorithms;
mod calendar;
mod driver;
mod server;
mod states;

use crate::models::definitions::Kind;
pub(crate) use driver::parts as shared_parts;
pub(crate) use server::{Asked, Keys, Server};
use std::panic::catch_unwind;

/// Whether the shared parts of the scripts, `head.lua` and the algorithms, are as defined for limits of these kinds.
pub(crate) fn accepts(parts: &str, kinds: &[Kind]) -> bool {
    let checked = catch_unwind(|| {
        states::find_foreign_texts(parts);
        states::keep_times(parts);
        states::keep_states(parts, 3000);
        let structures = [Kind::Log, Kind::Concurrency];
        for operations in [1000, 15_000] {
            for kind in kinds.iter().filter(|kind| !structures.contains(kind)) {
                algorithms::agree(*kind, parts, operations, 1);
            }
        }
    });
    checked.is_ok()
}
