//! The part `lua`: the server's CPU time for a decision, including network and parsing. Compares our scripts with plain
//! commands and with scripts that others use.

mod inputs;
mod load;
mod others;
mod ours;
mod subject;
mod tables;

use crate::report::grouped;
use crate::{Effort, Results};
use load::{Load, Space};
use std::error::Error;
use subject::Subject;
use support::RedisServer;

/// The number of keys, and the number of decisions in a round.
struct Scale {
    keys: u64,
    decisions: usize,
}

const FULL: Scale = Scale { keys: 100_000, decisions: 24_000 };
const QUICK: Scale = Scale { keys: 10_000, decisions: 8_000 };

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let scale = if effort.quick { QUICK } else { FULL };
    let wanted = |subject: &Subject| {
        effort.words.is_empty() || effort.words.iter().any(|word| subject.name.contains(word))
    };
    let subjects: Vec<Subject> =
        others::all().into_iter().chain(ours::all().into_iter().filter(wanted)).collect();
    let server = RedisServer::builder().args(["--databases", "64"]).start();
    let mut load = Load::open(&server, scale.keys)?;
    subjects.iter().try_for_each(|subject| load.prepare(subject))?;
    let spaces: Vec<Space> = subjects.iter().map(|subject| load.fill(subject)).collect::<Result<_, _>>()?;
    let mut found = vec![Vec::new(); subjects.len()];
    for round in 1..=effort.rounds {
        eprintln!("scripts, round {round} of {}", effort.rounds);
        for (subject, found) in subjects.iter().zip(&mut found) {
            found.push(load.cost(subject, subject.calls(scale.decisions))?);
        }
    }
    let context =
        format!("{}, {} keys of 40 characters.", load.description()?, grouped(scale.keys.try_into()?));
    Ok(Results { context, tables: tables::all(&subjects, &found, &spaces) })
}
