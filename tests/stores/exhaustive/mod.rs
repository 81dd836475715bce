//! Exhaustive tests with small numbers. Every sequence of a few operations on small limits has the outcomes of the definitions,
//! in the scripts and in the memory store. The operations are requests of two costs under a limit that may change and change
//! back, returns, penalties and renewals. Each operation comes after a pause.

mod alphabet;
mod memory;
mod model;
mod walk;

use crate::harness::is_soak;
use crate::interpreter::Server;
use alphabet::Subject;
use std::time::Instant;
use walk::Totals;

/// The length of the sequences: `ordinary`, or 7 in the soak.
fn length(ordinary: u32) -> u32 {
    if is_soak() { 7 } else { ordinary }
}

/// Makes all sequences of each subject, and prints their number.
fn all(what: &str, subjects: &[Subject], length: u32, make: impl Fn(&Subject) -> Result<Totals, String>) {
    let (start, mut totals) = (Instant::now(), Totals::default());
    for subject in subjects {
        let began = Instant::now();
        let of_one = make(subject).unwrap_or_else(|difference| panic!("{difference}"));
        if is_soak() {
            println!("{}: {of_one:?} in {:.1?}", subject.name, began.elapsed());
        }
        totals.add(of_one);
    }
    println!(
        "{what}: {} subjects, {} sequences of up to {length} operations, {} different states, {} operations executed, in {:.1?}",
        subjects.len(),
        totals.sequences,
        totals.states,
        totals.operations,
        start.elapsed()
    );
}

#[test]
fn every_sequence_on_a_limit_is_as_defined() {
    let (server, length) = (Server::start(), 3);
    all("limits", &alphabet::limits(), length, |subject| {
        walk::in_scripts(&server, subject, &subject.letters, length)
    });
}

#[test]
fn every_sequence_on_a_stack_is_as_defined() {
    let (server, length) = (Server::start(), 2);
    all("stacks", &alphabet::stacks(), length, |subject| {
        walk::in_scripts(&server, subject, &subject.letters, length)
    });
}

/// Uses only one pause for each deed, so that longer sequences are possible.
#[test]
fn every_long_sequence_is_as_defined() {
    let (server, length) = (Server::start(), length(4));
    all("long sequences on limits", &alphabet::limits(), length, |subject| {
        walk::in_scripts(&server, subject, &subject.letters[..subject.core], length)
    });
}

#[test]
fn every_sequence_in_memory_is_as_defined() {
    let length = length(4);
    all("limits in memory", &alphabet::limits(), length, |subject| walk::in_memory(subject, length));
}

#[test]
fn every_sequence_on_a_stack_in_memory_is_as_defined() {
    let length = length(4);
    all("stacks in memory", &alphabet::stacks(), length, |subject| walk::in_memory(subject, length));
}
