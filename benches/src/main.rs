//! The benchmark program behind `cargo xtask bench`: measures the cost of decisions, next to other crates.
//!
//! Each part measures several subjects under several loads. In each round, all subjects of a table run one after another.
//! The tables show the median with the lowest and the highest round. Ratios are computed round by round, which makes them
//! more stable than the figures.
//!
//! Usage: `ratelimit-bench [PART..] [--quick] [--write] [-- WORD..]`
//!
//! - `--quick`: fewer and shorter rounds.
//! - `--write`: writes the results into `README.md` and draws its pictures.
//! - `WORD`: measures only those of our scripts whose name contains a word.
//!
//! Without `--cfg peers`, the program is built without the other crates and measures only this library.

mod arguments;
mod attribute;
mod awake;
#[path = "../../examples/drawing.rs"]
#[allow(dead_code, reason = "bars need a part of it")]
mod canvas;
mod cpu;
mod lua;
mod memory;
mod metrics;
#[cfg_attr(not(peers), path = "without_peers.rs")]
mod peers;
mod regions;
mod report;
mod shared;

use arguments::Arguments;
use report::{Table, machine, markdown, page, plot};
use std::error::Error;
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// The amount of measurement.
pub(crate) struct Effort {
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// The length of a round, for measurements that last for a given time.
    pub(crate) round: Duration,
    /// Words that select our scripts by their names.
    pub(crate) words: Vec<String>,
}

/// The results of a part.
pub(crate) struct Results {
    /// A sentence that says what was measured.
    pub(crate) context: String,
    pub(crate) tables: Vec<Table>,
}

type Measure = fn(&Effort) -> Result<Results, Box<dyn Error>>;

/// A part of the benchmark.
struct Part {
    name: &'static str,
    title: &'static str,
    measure: Measure,
}

static PARTS: [Part; 8] = [
    Part { name: "redis", title: "Decisions through Redis", measure: shared::run },
    Part { name: "cluster", title: "Decisions through a cluster", measure: shared::run_cluster },
    Part { name: "regions", title: "Two regions", measure: regions::run },
    Part { name: "memory", title: "Decisions in the process", measure: memory::run },
    Part { name: "attribute", title: "What the attribute adds to a function", measure: attribute::run },
    Part { name: "metrics", title: "What metrics add to a decision", measure: metrics::run },
    Part { name: "http", title: "Requests of web frameworks", measure: peers::http::run },
    Part { name: "lua", title: "What a decision costs the server", measure: lua::run },
];

/// Runs a future that is ready at the first poll, as all futures of the memory store are. It is inlined, as `.await` is: otherwise,
/// the future and its result would be copied.
#[expect(clippy::inline_always, reason = "so that a call is measured as users await it")]
#[inline(always)]
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the memory store is ready at once"),
    }
}

fn main() -> ExitCode {
    if memory::resident::is_child() || memory::instructions::is_child() || peers::http::is_child() {
        return ExitCode::SUCCESS;
    }
    let done = arguments::parse(std::env::args().skip(1))
        .map_err(Into::into)
        .and_then(|arguments| perform(&arguments));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ratelimit-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    for part in &arguments.parts {
        let start = Instant::now();
        let machine = machine::description();
        let results = (part.measure)(&arguments.effort)?;
        let tables: Vec<String> = results.tables.iter().map(markdown::table).collect();
        let rounds = format!("medians of {} rounds (lowest–highest)", arguments.effort.rounds);
        let text = format!("{} {machine}; {rounds}.\n\n{}", results.context, tables.join("\n"));
        println!("\n## {}\n\n{text}", part.title);
        let subtitle = format!("{machine}; {rounds}");
        if arguments.write {
            let picture = plot::svg(part.title, &subtitle, &results.tables)?;
            write(part, &text, picture)?;
        }
        eprintln!("{}: {:.0} s", part.name, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Writes the results of a part into the page, with its picture if there is one.
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
