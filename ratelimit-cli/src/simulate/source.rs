//! The source of the traffic: a log, or the simulated arrivals of the options.

use super::options::Simulate;
use super::output::terminal::printable;
use super::time;
use super::traffic::{Call, Callers, Origin, Skew, Traffic, log};
use fastrand::Rng;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Reads a log. `-` is the standard input.
pub(crate) fn read_log(path: &Path, options: &Simulate) -> Result<Traffic, Box<dyn Error>> {
    let selection = options.traffic.selection();
    let wrong = |name: &str, error: &dyn Error| format!("cannot read `{name}`: {error}");
    if path.as_os_str() == "-" {
        let read = log::read(io::stdin().lock(), "the log", &selection);
        return read.map_err(|error| wrong("-", &error).into());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = printable(&name);
    let file = File::open(path).map_err(|error| wrong(&path.to_string_lossy(), &error))?;
    let read = log::read(BufReader::with_capacity(1 << 18, file), &name, &selection);
    read.map_err(|error| wrong(&path.to_string_lossy(), &error).into())
}

/// Makes simulated traffic. An error is a mistake of the command line.
pub(crate) fn simulated(options: &Simulate) -> Result<Traffic, String> {
    let given = &options.traffic;
    let (arrivals, length) = (given.arrivals(), given.length());
    // Arrivals and callers have their own random numbers, so that the number of callers does not change the times.
    let mut random = Rng::with_seed(given.seed);
    let callers = random.fork();
    let times = arrivals.times(length, &mut random)?;
    if times.is_empty() {
        return Err(format!(
            "there is no call within {}; raise the rate or lengthen `--for`",
            time::show(length)
        ));
    }
    let chosen = Skew::new(given.callers, given.skew, callers);
    let calls: Vec<Call> = times.into_iter().zip(chosen).map(|(at, caller)| Call { at, caller }).collect();
    let who = if given.callers == 1 { "1 caller".to_owned() } else { format!("{} callers", given.callers) };
    let words = format!("{} for {}, {who}", arrivals.words(), time::show(length));
    let callers = Callers::Numbered(given.callers);
    Ok(Traffic { words, calls, callers, length, origin: Origin::Zero, notes: Vec::new() })
}
