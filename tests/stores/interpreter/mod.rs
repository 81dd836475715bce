//! The scripts in an interpreter of Lua 5.1, without a server: some of their pure functions, and complete scripts with keys in
//! tables.

mod algorithms;
mod calendar;
mod parts;
mod server;
mod states;

use crate::models::definitions::Kind;
pub(crate) use parts::algorithm;
use ratelimit::__testing;
pub(crate) use server::{Asked, Keys, Server, extra};
use std::panic::catch_unwind;

/// Whether the scripts `decide` and `adjust` agree with the definitions for limits of these kinds.
pub(crate) fn accepts(decide: &str, adjust: &str, kinds: &[Kind]) -> bool {
    let checked = catch_unwind(|| {
        let mut decide = decide.to_owned();
        if let Some(parts) = parts::of(&decide) {
            states::find_foreign_texts(parts);
            states::keep_times(parts);
            states::keep_states(parts, 3000);
            decide = parts::checked(parts);
        }
        for operations in [1000, 10_000] {
            for kind in kinds {
                algorithms::agree(&Server::with_scripts(&decide, adjust), *kind, operations, 1);
            }
        }
    });
    checked.is_ok()
}

/// If unchanged scripts were rejected, the rejection of a mutant would prove nothing.
#[test]
fn unchanged_scripts_are_accepted() {
    let [decide, adjust] = __testing::scripts();
    assert!(accepts(decide, adjust, &Kind::ALL));
}
