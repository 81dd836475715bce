//! Twenty workers in a loop against a limit of 500 per second: does every algorithm hold the rate, and no more?
//!
//! Prints what has passed in the last second, five times a second, and draws it. The exit code says whether the mean
//! stayed within one percent of the limit.

#[path = "../canvas.rs"]
#[allow(dead_code, reason = "each example draws with a part of it")]
mod canvas;
mod chart;
mod edge;
mod load;
mod options;
mod private_redis;
mod store;
mod subjects;
mod table;
mod tally;

use options::{HELP, Options};
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;
use tally::{Counts, Run};

/// What has to pass per second.
const RATE: u32 = 500;

/// How far the mean may be off, in percent.
const TOLERANCE: f64 = 1.0;

/// What the mean leaves out: the burst that a fresh limit lets pass, and the last second of it.
const START: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let options = match Options::parse(arguments.map(|argument| argument.to_string_lossy().into_owned())) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&options).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the rate was held.
async fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    if options.help {
        print(HELP)?;
        return Ok(true);
    }
    let subjects = subjects::named(options.only);
    let length = START + Duration::from_secs(options.seconds.into());
    print(&table::introduction(options.seconds))?;
    let mut runs = Vec::new();
    let (stores, absent) = store::all().await?;
    for store in stores {
        print(&table::heading(&store, &subjects))?;
        let show = |time, counts: &[Counts]| print(&table::row(time, counts));
        let measured = load::run(&store.limiter, &subjects, length, show).await?;
        runs.push(Run { store: store.name, measured });
    }
    print(&table::summary(&runs, &subjects, absent.as_deref()))?;

    fs::create_dir_all(&options.out)?;
    let (rate, burst) = (options.out.join("steady_rate.svg"), options.out.join("edge_burst.svg"));
    fs::write(&rate, chart::draw(&subjects, &runs)?)?;
    fs::write(&burst, edge::draw().await?)?;
    print(&format!("\nDrawn: {} and {}.\n", rate.display(), burst.display()))?;
    Ok(runs.iter().all(Run::is_steady))
}

/// Not by `print!`, which panics when the reader has gone: `steady_rate | head`.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
