//! Random operations on one limit: the complete scripts in the interpreter agree with the definition in every field.

use super::server::{Asked, Keys, Server};
use crate::harness::now_or_panic;
use crate::models::definitions::{Kind, Numbers};
use crate::models::limits::LIMITS;
use crate::models::random::operations::{Operation, Outcome, first_difference};
use std::mem;

/// Asserts that the scripts of this server agree with the definition for limits of this kind.
pub(super) fn agree(server: &Server, kind: Kind, operations: usize, seed: u64) {
    let limits: Vec<Numbers> = LIMITS.into_iter().filter(|numbers| numbers.kind == kind).collect();
    for numbers in &limits {
        let mut keys = server.empty();
        let make = async |now, steps: &[(usize, Operation)]| {
            let make_one = |(key, operation): &(usize, Operation)| {
                make(server, &mut keys, now, numbers, *key, *operation)
            };
            Some(steps.iter().map(make_one).collect())
        };
        let difference =
            now_or_panic(first_difference(numbers, operations / limits.len(), seed, false, make));
        assert!(difference.is_none(), "{numbers:?}");
    }
}

fn make(
    server: &Server,
    keys: &mut Keys,
    now: u64,
    numbers: &Numbers,
    key: usize,
    operation: Operation,
) -> Outcome {
    let (after, outcome) = match operation {
        Operation::Decide { mode, cost, keep, permit } => {
            let asked = Asked { key, numbers: *numbers, cost, keep, permit };
            let (after, answers) = server.decide(keys, now, mode, &[asked]);
            (after, Outcome::Answer(answers[0]))
        }
        Operation::Adjust { units, change } => {
            let (after, changed) = server.adjust(keys, now, (key, numbers), units, change);
            (after, Outcome::Units(changed))
        }
    };
    server.forget(&mem::replace(keys, after));
    outcome
}
