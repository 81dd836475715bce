//! Simulates a thousand processes that share one limit in one Redis. Compares how many calls reach Redis and how many are
//! admitted, with and without group commit, the deny cache and leases.
//!
//! The limiters are real. Redis, the network and the time are simulated, so the same seed gives the same numbers.

#[path = "../canvas.rs"]
#[allow(dead_code, unused_imports, reason = "each example draws with a part of it")]
mod canvas;
mod chart;
mod measure;
mod options;
mod simulate;
mod table;
#[path = "../../terminal.rs"]
mod terminal;
mod traffic;
mod wire;

use measure::Measured;
use options::{HELP, Options};
use ratelimit::Limit;
use simulate::Strategy;
use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use terminal::print;
use traffic::{ROUND, Traffic};

/// The limit, in calls per second.
const RATE: u32 = 10_000;

const LIMITS: [Limit; 2] =
    [Limit::counter(RATE, Duration::from_secs(1)), Limit::token_bucket(RATE, Duration::from_secs(1))];

/// The largest leases to compare. The last number is the largest lease that `auto` takes.
const LEASES: [u32; 7] = [2, 5, 10, 20, 50, 200, 625];

/// One limit, with the measured values of each strategy.
pub(crate) struct Comparison {
    pub(crate) limit: Limit,
    /// The result if each call were decided in Redis itself, without delay.
    pub(crate) best: Measured,
    pub(crate) rows: Vec<Row>,
}

pub(crate) struct Row {
    pub(crate) name: String,
    /// The largest lease in units. Zero means that there is no lease.
    pub(crate) lease: u32,
    pub(crate) measured: Measured,
}

fn main() -> ExitCode {
    match Options::parse(terminal::arguments().into_iter()) {
        Ok(options) => terminal::exit_code(run(&options)),
        Err(error) => terminal::usage_error(&error),
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
    let mut comparisons = Vec::new();
    for limit in LIMITS {
        let comparison = compare(limit, &traffic)?;
        print(&table::comparison(&comparison))?;
        comparisons.push(comparison);
    }
    print(&format!("\n{}", table::NOTES))?;

    fs::create_dir_all(&options.out)?;
    let (calls, used) = (options.out.join("fleet_calls.svg"), options.out.join("fleet_use.svg"));
    fs::write(&calls, chart::calls::draw(&comparisons, processes)?)?;
    fs::write(&used, chart::used::draw(&comparisons, processes)?)?;
    print(&format!("\nDrawn: {} and {}.\n", calls.display(), used.display()))
}

/// Simulates all strategies. Each processor runs one strategy at a time.
fn compare(limit: Limit, traffic: &Traffic) -> Result<Comparison, Box<dyn Error>> {
    let ideal = simulate::ideal(&limit, traffic)?;
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let all = strategies(limit);
    let work = || {
        while let Some((name, strategy, limit)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let measured =
                simulate::run(*strategy, limit, traffic).map(|run| Measured::of(&run, &ideal, limit));
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
    Ok(Comparison { limit, best: Measured::of(&ideal, &ideal, &limit), rows })
}

/// Returns the strategies by name, each with its limit.
fn strategies(limit: Limit) -> Vec<(String, Strategy, Limit)> {
    let unleased = [Strategy::EACH, Strategy::TOGETHER, Strategy::REMEMBERING]
        .map(|strategy| (strategy.name.to_owned(), strategy, limit));
    let leased = LEASES.map(|most| (format!("+ lease = {most}"), Strategy::REMEMBERING, limit.lease(most)));
    let auto = ("+ lease = \"auto\"".to_owned(), Strategy::REMEMBERING, limit.lease_auto());
    unleased.into_iter().chain(leased).chain([auto]).collect()
}
