//! A thousand processes, one limit, one Redis: what reaches it, what passes and what is wasted, by each way to ask.
//!
//! Everything is simulated but the limiters: real code, on a clock that is moved. No Redis is needed, and a seed always
//! gives the same numbers.

#[path = "../canvas.rs"]
#[allow(dead_code, reason = "each example draws with a part of it")]
mod canvas;
mod chart;
mod measure;
mod options;
mod simulate;
mod table;
mod traffic;
mod wire;

use measure::Measured;
use options::{HELP, Options};
use ratelimit::Limit;
use simulate::Way;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use traffic::{ROUND, Traffic};

/// What may pass per second.
const RATE: u32 = 10_000;

const LIMITS: [Limit; 2] =
    [Limit::counter(RATE, Duration::from_secs(1)), Limit::token_bucket(RATE, Duration::from_secs(1))];

/// The bounds of leases that are tried, the last that of "auto".
const LEASES: [u32; 7] = [2, 5, 10, 20, 50, 200, 625];

/// One limit, and what becomes of it by each way to ask.
pub(crate) struct Story {
    pub(crate) limit: Limit,
    /// With each call decided where the state is.
    pub(crate) best: Measured,
    pub(crate) rows: Vec<Row>,
}

pub(crate) struct Row {
    pub(crate) name: String,
    /// The largest lease; zero for none.
    pub(crate) lease: u32,
    pub(crate) measured: Measured,
}

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let options = match Options::parse(arguments.map(|argument| argument.to_string_lossy().into_owned())) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.help {
        return print(HELP);
    }
    let (processes, length) = (usize::try_from(options.processes)?, ROUND * (1 + options.rounds));
    let traffic = Traffic::new(processes, RATE, length, options.seed.into());
    let seconds = options.rounds * ROUND / 1000;
    print(&format!("{processes} processes, one key, {seconds} simulated seconds.\n"))?;
    let mut stories = Vec::new();
    for limit in LIMITS {
        let story = tell(limit, &traffic)?;
        print(&table::story(&story))?;
        stories.push(story);
    }
    print(&format!("\n{}", table::NOTES))?;

    fs::create_dir_all(&options.out)?;
    let (calls, used) = (options.out.join("fleet_calls.svg"), options.out.join("fleet_use.svg"));
    fs::write(&calls, chart::calls::draw(&stories, processes)?)?;
    fs::write(&used, chart::used::draw(&stories, processes)?)?;
    print(&format!("\nDrawn: {} and {}.\n", calls.display(), used.display()))
}

/// Runs all ways, as many at once as there are processors.
fn tell(limit: Limit, traffic: &Traffic) -> Result<Story, Box<dyn Error>> {
    let ideal = simulate::ideal(&limit, traffic)?;
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let all = ways(limit);
    let work = || {
        while let Some((name, way, limit)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let measured = simulate::run(*way, limit, traffic).map(|run| Measured::of(&run, &ideal, limit));
            let row =
                measured.map(|measured| Row { name: name.clone(), lease: limit.largest_lease(), measured });
            rows.lock().unwrap_or_else(PoisonError::into_inner).push(row.map_err(|error| error.to_string()));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut rows = rows.into_iter().collect::<Result<Vec<Row>, _>>()?;
    rows.sort_by_key(|row| all.iter().position(|(name, ..)| *name == row.name));
    Ok(Story { limit, best: Measured::of(&ideal, &ideal, &limit), rows })
}

/// By name: how to ask, and by which limit.
fn ways(limit: Limit) -> Vec<(String, Way, Limit)> {
    let unleased = [Way::EACH, Way::TOGETHER, Way::REMEMBERING].map(|way| (way.name.to_owned(), way, limit));
    let leased = LEASES.map(|most| (format!("+ lease = {most}"), Way::REMEMBERING, limit.lease(most)));
    let auto = ("+ lease = \"auto\"".to_owned(), Way::REMEMBERING, limit.lease_auto());
    unleased.into_iter().chain(leased).chain([auto]).collect()
}

/// Not by `print!`, which panics when the reader has gone: `fleet | head`.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
