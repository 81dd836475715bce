//! What a decision costs the server: `cargo xtask bench lua`.
//!
//! Our scripts beside plain commands and beside what others use, on one private server. All subjects have their turn
//! in each round, and medians of the rounds are printed, so that a busy machine disturbs all alike. What is measured is
//! the CPU time of the server, network and parsing included; ratios hold better than figures.
//!
//! `cargo xtask bench lua -- counter log` measures only those of ours that have such a word in their name.

mod draw;
mod load;
mod others;
mod ours;
mod report;
mod subject;
#[path = "../decisions/table.rs"]
mod table;

use load::{Load, Space};
use std::error::Error;
use subject::Subject;
use support::RedisServer;
use table::Row;

/// How much is done.
struct Scale {
    rounds: usize,
    keys: u64,
    decisions: usize,
}

const FULL: Scale = Scale { rounds: 7, keys: 100_000, decisions: 40_000 };

/// Shows that it runs: `cargo bench` passes `--bench`, `cargo test --benches` passes nothing.
const SHORT: Scale = Scale { rounds: 1, keys: 2000, decisions: 256 };

fn main() -> Result<(), Box<dyn Error>> {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let scale = if options.iter().any(|option| option == "--bench") { FULL } else { SHORT };
    let wanted = |subject: &Subject| words.is_empty() || words.iter().any(|word| subject.name.contains(word));
    let subjects: Vec<Subject> =
        others::all().into_iter().chain(ours::all().into_iter().filter(wanted)).collect();
    let server = RedisServer::builder().args(["--databases", "64"]).start();
    let mut load = Load::open(&server, scale.keys)?;
    subjects.iter().try_for_each(|subject| load.prepare(subject))?;
    let spaces: Vec<Space> = subjects.iter().map(|subject| load.fill(subject)).collect::<Result<_, _>>()?;
    let mut rows: Vec<Row> = subjects.iter().map(|subject| Row::new(subject.name.as_str())).collect();
    for round in 1..=scale.rounds {
        eprintln!("round {round} of {}", scale.rounds);
        for (subject, row) in subjects.iter().zip(&mut rows) {
            row.figures.push(load.cost(subject, subject.calls(scale.decisions))?);
        }
    }
    println!("\nServer CPU per decision, {}", load.description()?);
    println!("{} keys of 40 characters, medians of {} rounds, us", scale.keys, scale.rounds);
    report::print(&subjects, &rows, &spaces);
    Ok(())
}
