//! What decisions cost, beside what others do: `cargo xtask bench`.
//!
//! Each part measures some subjects under some loads. The rounds of all subjects of a table take turns, and medians are
//! shown with the lowest and the highest round. Ratios, which are taken round by round, hold better than figures.
//!
//! `ratelimit-bench [PART..] [--quick] [--write] [-- WORD..]`: fewer and shorter rounds; the results into `README.md`
//! and its drawings; of our scripts only those that have such a word in their name. Built without `--cfg peers`, it
//! measures what needs no other crate.

mod arguments;
mod attribute;
mod awake;
mod cpu;
mod lua;
mod memory;
#[cfg_attr(not(peers), path = "without_peers.rs")]
mod peers;
mod report;
mod shared;

use arguments::Arguments;
use report::{Table, machine, markdown, page, plot};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How much is done.
pub(crate) struct Effort {
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// Of a round that is measured by time.
    pub(crate) round: Duration,
    /// What our scripts are chosen by.
    pub(crate) words: Vec<String>,
}

/// What a part has found.
pub(crate) struct Found {
    /// What the figures are of, in a sentence.
    pub(crate) context: String,
    pub(crate) tables: Vec<Table>,
}

type Measure = fn(&Effort) -> Result<Found, Box<dyn Error>>;

struct Part {
    name: &'static str,
    title: &'static str,
    measure: Measure,
}

static PARTS: [Part; 5] = [
    Part { name: "redis", title: "Decisions through Redis", measure: shared::run },
    Part { name: "cluster", title: "Decisions through a cluster", measure: shared::run_cluster },
    Part { name: "memory", title: "Decisions in the process", measure: memory::run },
    Part { name: "attribute", title: "What the attribute adds to a function", measure: attribute::run },
    Part { name: "lua", title: "What a decision costs the server", measure: lua::run },
];

fn main() -> ExitCode {
    if memory::resident::is_child() {
        return ExitCode::SUCCESS;
    }
    let done =
        arguments::parse(std::env::args().skip(1)).map_err(Into::into).and_then(|asked| perform(&asked));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ratelimit-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(asked: &Arguments) -> Result<(), Box<dyn Error>> {
    for part in &asked.parts {
        let start = Instant::now();
        let machine = machine::description();
        let found = (part.measure)(&asked.effort)?;
        let tables: Vec<String> = found.tables.iter().map(markdown::table).collect();
        let rounds = format!("medians of {} rounds (lowest–highest)", asked.effort.rounds);
        let text = format!("{} {machine}; {rounds}.\n\n{}", found.context, tables.join("\n"));
        println!("\n## {}\n\n{text}", part.title);
        let below = format!("{machine}; {rounds}");
        if asked.write {
            let picture = plot::svg(part.title, &below, &found.tables);
            write(part, &text, picture)?;
        }
        eprintln!("{}: {:.0} s", part.name, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Into the page, with a drawing where there is one.
fn write(part: &Part, text: &str, picture: Option<String>) -> Result<(), Box<dyn Error>> {
    let folder = page::folder();
    let mut text = text.to_owned();
    if let Some(picture) = picture {
        let file = format!("{}.svg", part.name);
        std::fs::write(folder.join(&file), picture)?;
        text = format!("![{}]({file})\n\n{text}", part.title);
    }
    Ok(page::write(&folder.join("README.md"), part.name, &text)?)
}
