//! The work of `ratelimit simulate`: makes or reads the traffic, decides it under each limit, and reports.

use super::engine::{Grid, Terms, decide};
use super::hash::{IdentityHash, VARIABLE};
use super::options::Simulate;
use super::output::terminal::{self, Screen};
use super::output::{Calls, Canvas, Colors, Files, Layout, check_paths, csv, html, json, plot, png, svg};
use super::report::{Report, Trial};
use super::shadow::Comparison;
use super::time;
use super::traffic::{Call, Callers, Origin, Skew, Traffic, log};
use fastrand::Rng;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;

/// The most parts of the time in files. In the plot, each is at least six pixels wide.
const PARTS: u64 = 120;

/// Runs the command. A wrong command line is reported, and has the exit code 2.
///
/// # Errors
///
/// If the log cannot be read, or a file or the standard output cannot be written. The exit code should then be 1.
pub(crate) fn run(options: &Simulate) -> Result<ExitCode, Box<dyn Error>> {
    let limits = match options.all_limits() {
        Ok(limits) => limits,
        Err(error) => return Ok(usage(&error)),
    };
    if let Err(error) = check_paths(options.output.paths()) {
        return Ok(usage(&error));
    }
    let traffic = match &options.traffic.log {
        Some(path) => read_log(path, options)?,
        None => match simulated(options) {
            Ok(traffic) => traffic,
            Err(error) => return Ok(usage(&error)),
        },
    };
    let screen = Screen::of_stdout(options.output.width);
    let grids = [screen.columns(), PARTS].map(|most| Grid::covering(traffic.length, most));
    let offered = grids.map(|grid| grid.offered(&traffic));
    let hash = hash(options);
    let mut calls = options.output.calls.as_ref().map(|_| Calls::new(&traffic, hash.as_ref()));
    let hold = options.traffic.hold.unwrap_or_default();
    let terms = Terms { traffic: &traffic, cost: options.traffic.cost, hold, grids: &grids };
    let mut trials = Vec::new();
    for (letter, limit) in ('A'..).zip(limits) {
        let outcome = decide(&limit, &terms, |call, decided| {
            if let Some(calls) = &mut calls {
                calls.add(&limit, call, decided);
            }
        })?;
        trials.push(Trial { letter, limit, outcome });
    }
    let notes = notes(&traffic, &trials, options);
    let mut report = Report { traffic: &traffic, trials, grids, offered, comparison: None, notes };
    if options.shadow.is_some() {
        compare(&mut report, hash.as_ref());
    }
    write_files(&report, calls, options)?;
    print(&if options.output.json { json(&report) } else { terminal::text(&report, &screen) })?;
    Ok(ExitCode::SUCCESS)
}

/// Writes all files that were asked for, or none.
fn write_files(
    report: &Report<'_>,
    calls: Option<Calls<'_>>,
    options: &Simulate,
) -> Result<(), Box<dyn Error>> {
    let given = &options.output;
    let mut files = Files::default();
    if let Some(path) = &given.svg {
        files.add(path, svg(&plot(report, Layout::WIDE), Colors::Fixed).as_bytes())?;
    }
    if let Some(path) = &given.png {
        files.add(path, &png(&Canvas::of(&plot(report, Layout::WIDE))))?;
    }
    if let Some(path) = &given.html {
        files.add(path, html(report).as_bytes())?;
    }
    if let Some(path) = &given.csv {
        files.add(path, csv(report).as_bytes())?;
    }
    if let (Some(path), Some(calls)) = (&given.calls, calls) {
        files.add(path, calls.into_text().as_bytes())?;
    }
    files.finish()?;
    Ok(())
}

/// What names the callers of a log. Simulated callers, and all callers with `--identities`, have their own names.
fn hash(options: &Simulate) -> Option<IdentityHash> {
    let hides = options.traffic.log.is_some() && !options.identities;
    let secret = std::env::var_os(VARIABLE).map(std::ffi::OsString::into_encoded_bytes);
    hides.then(|| IdentityHash::new(secret.as_deref()))
}

/// Reports a wrong command line.
fn usage(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}

/// Prints a text. A reader that has gone, as in `ratelimit simulate .. | head`, is no error.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write: {error}").into())
        }
        _ => Ok(()),
    }
}

fn read_log(path: &Path, options: &Simulate) -> Result<Traffic, Box<dyn Error>> {
    let selection = options.traffic.selection();
    let wrong = |name: &str, error: &dyn Error| format!("cannot read `{name}`: {error}");
    if path.as_os_str() == "-" {
        let read = log::read(io::stdin().lock(), "the log", &selection);
        return read.map_err(|error| wrong("-", &error).into());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = terminal::printable(&name);
    let file = File::open(path).map_err(|error| wrong(&path.to_string_lossy(), &error))?;
    let read = log::read(BufReader::with_capacity(1 << 18, file), &name, &selection);
    read.map_err(|error| wrong(&path.to_string_lossy(), &error).into())
}

fn simulated(options: &Simulate) -> Result<Traffic, String> {
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

/// What a reader has to know, about the traffic and about each limit.
fn notes(traffic: &Traffic, trials: &[Trial], options: &Simulate) -> Vec<String> {
    let mut notes = traffic.notes.clone();
    for Trial { letter, limit, outcome } in trials {
        let callers = traffic.callers.count();
        if callers > 1 {
            notes.push(format!(
                "{letter}: callers with refused calls: {} of {callers}.",
                outcome.callers_refused
            ));
        }
        if outcome.never > 0 {
            notes.push(format!(
                "{letter}: {} calls can never pass, because each costs {} and the limit holds at most {}.",
                outcome.never,
                options.traffic.cost,
                limit.capacity()
            ));
        }
        let later = outcome.series.first().map_or(0, |series| series.later);
        if later > 0 {
            notes.push(format!(
                "{letter}: {later} admitted calls start after the end of the chart, because they wait."
            ));
        }
        if limit.to_string().contains(" lease=") {
            notes.push(format!("{letter}: leases are not simulated; every call asks the store."));
        }
    }
    notes
}

/// Fills in the comparison of `--shadow`.
fn compare(report: &mut Report<'_>, hash: Option<&IdentityHash>) {
    let [now, then] = &report.trials[..] else { return };
    let comparison = Comparison::of(now, then, &report.traffic.callers, hash);
    if let Some(hash) = hash.filter(|_| !comparison.hardest_hit.is_empty()) {
        report.notes.push(hash.note());
    }
    if matches!(report.traffic.origin, Origin::Log { .. }) {
        report.notes.push(
            "The log shows what callers did under the limits of that time. A caller that is refused may behave differently."
                .to_owned(),
        );
    }
    report.comparison = Some(comparison);
}
