//! Measures whether every algorithm holds a rate of 500 calls per second, while 20 workers call in a loop.
//!
//! Prints the calls of the last second, five times per second, and draws them. The exit code says whether the mean of every
//! algorithm was within 1 % of the limit.

#[path = "../canvas.rs"]
#[allow(dead_code, unused_imports, reason = "each example draws with a part of it")]
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
#[path = "../../terminal.rs"]
mod terminal;

use options::{HELP, Options};
use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::time::Duration;
use tally::{Counts, Run};
use terminal::print;

/// The limit, in calls per second.
const RATE: u32 = 500;

/// The largest accepted difference between the mean and the limit, in percent.
const TOLERANCE: f64 = 1.0;

/// The time at the start that the mean does not include, because an unused limit admits a burst.
const START: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    match Options::parse(terminal::arguments().into_iter()) {
        Ok(options) => terminal::exit_code(run(&options).await),
        Err(error) => terminal::usage_error(&error),
    }
}

/// Measures all algorithms. Returns an error if a rate was not held.
async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.help {
        return print(HELP);
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
    if runs.iter().all(Run::is_steady) { Ok(()) } else { Err("the rate was not held".into()) }
}
