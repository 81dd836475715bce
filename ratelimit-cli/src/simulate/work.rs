//! The work of `ratelimit simulate`: makes or reads the traffic, decides it under each limit, and reports.

use super::engine::{Grid, Terms, decide};
use super::hash::{IdentityHash, VARIABLE};
use super::notes::notes;
use super::options::Simulate;
use super::output::terminal::{self, Screen};
use super::output::{Calls, Canvas, Colors, Files, Layout, check_paths, csv, html, json, plot, png, svg};
use super::report::{Report, Trial};
use super::shadow::Comparison;
use super::source::{read_log, simulated};
use super::traffic::{Origin, Traffic};
use crate::output::Output;
use ratelimit::Limit;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// The most parts of the time in files. In the plot, each is at least six pixels wide.
const PARTS: u64 = 120;

/// Runs the command. A wrong command line is reported, and has the exit code 2.
///
/// # Errors
///
/// If the log cannot be read, or a file or the standard output cannot be written. The exit code should then be 1.
pub(crate) fn run(options: &Simulate, output: Output) -> Result<ExitCode, Box<dyn Error>> {
    let limits = match options.all_limits() {
        Ok(limits) => limits,
        Err(error) => return Ok(usage(&error, output)),
    };
    if let Err(error) = check_paths(options.output.paths()) {
        return Ok(usage(&error, output));
    }
    let traffic = match &options.traffic.log {
        Some(path) => read_log(path, options)?,
        None => match simulated(options) {
            Ok(traffic) => traffic,
            Err(error) => return Ok(usage(&error, output)),
        },
    };
    let screen = Screen::of_stdout(options.output.width, options.style.colors);
    let hash = hash(options);
    let mut calls = options.output.calls.as_ref().map(|_| Calls::new(&traffic, hash.as_ref()));
    let mut report = attempt(limits, &traffic, &screen, options, calls.as_mut())?;
    if options.shadow.is_some() {
        compare(&mut report, hash.as_ref());
    }
    if let Some(hash) = hash.filter(|_| calls.is_some() || report.names_callers()) {
        report.notes.push(hash.note());
    }
    write_files(&report, calls, options)?;
    print(&if options.style.json { json(&report) } else { terminal::text(&report, &screen) })?;
    Ok(ExitCode::SUCCESS)
}

/// Decides the traffic under each limit.
fn attempt<'t>(
    limits: Vec<Limit>,
    traffic: &'t Traffic,
    screen: &Screen,
    options: &Simulate,
    mut calls: Option<&mut Calls<'_>>,
) -> Result<Report<'t>, Box<dyn Error>> {
    let grids = [screen.columns(), PARTS].map(|most| Grid::covering(traffic.length, most));
    let hold = options.traffic.hold.unwrap_or_default();
    let terms = Terms { traffic, cost: options.traffic.cost, hold, grids: &grids };
    let mut trials = Vec::new();
    for (letter, limit) in ('A'..).zip(limits) {
        let outcome = decide(&limit, &terms, |call, decided| {
            if let Some(calls) = &mut calls {
                calls.add(&limit, call, decided);
            }
        })?;
        trials.push(Trial { letter, limit, outcome });
    }
    let notes = notes(traffic, &trials, options);
    let offered = grids.map(|grid| grid.offered(traffic));
    Ok(Report { traffic, trials, grids, offered, comparison: None, notes })
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
    if hides { IdentityHash::new(secret.as_deref()) } else { None }
}

/// Reports a wrong command line.
fn usage(message: &str, output: Output) -> ExitCode {
    output.error(message);
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

/// Fills in the comparison of `--shadow`.
fn compare(report: &mut Report<'_>, hash: Option<&IdentityHash>) {
    let [now, then] = &report.trials[..] else { return };
    let comparison = Comparison::of(now, then, &report.traffic.callers, hash);
    if matches!(report.traffic.origin, Origin::Log { .. }) {
        report.notes.push(
            "The log shows what callers did under the limits of that time. A caller that is refused may behave differently."
                .to_owned(),
        );
    }
    report.comparison = Some(comparison);
}
