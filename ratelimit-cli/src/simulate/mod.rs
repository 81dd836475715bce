//! `ratelimit simulate`: shows what limits do with traffic, in simulated time.

mod engine;
mod hash;
mod learned;
mod numbers;
mod options;
mod output;
mod rate;
mod report;
mod shadow;
mod time;
mod traffic;

pub(crate) use options::Simulate;

use crate::exit::{Exit, Failure};
use crate::files;
use crate::output::{Output, show};
use engine::{Grid, decide};
use hash::IdentityHash;
use output::{Calls, as_json, as_text, parts};
use ratelimit::Limit;
use report::Report;
use shadow::Comparison;
use std::path::Path;
use traffic::{Origin, Traffic, log};

/// The minimum and the maximum width of the chart.
const WIDTHS: [usize; 2] = [40, 400];

/// Counts the calls in a log.
pub(crate) fn read_log(text: &[u8]) -> Result<usize, String> {
    log::read(text, "log", &log::Selection::default()).map(|traffic| traffic.calls.len())
}

/// Makes or reads the traffic, decides it under each limit, and reports.
pub(crate) fn run(options: &Simulate, mut output: Output) -> Result<Exit, Failure> {
    let limits = options.all_limits().map_err(Failure::usage)?;
    let traffic = match &options.traffic.log {
        Some(path) => read(path, options)?,
        None => options.traffic.arrivals.clone().traffic().map_err(Failure::usage)?,
    };
    let columns = options.output.width.map(usize::from).or(output.columns).unwrap_or(80);
    output.columns = Some(columns.clamp(WIDTHS[0], WIDTHS[1]));
    // The names of simulated callers are no secret.
    let hides = options.traffic.log.is_some() && !options.identities;
    let hash = if hides { IdentityHash::from_environment() } else { None };
    let mut calls = options.output.calls.as_ref().map(|_| Calls::new(&traffic, hash.as_ref()));
    let mut report = attempt(limits, &traffic, output, options, calls.as_mut())?;
    if options.shadow.is_some() {
        compare(&mut report, hash.as_ref());
    }
    if hash.is_some() && (calls.is_some() || report.names_callers()) {
        report.notes.push(IdentityHash::NOTE.to_owned());
    }
    if let (Some(path), Some(calls)) = (&options.output.calls, calls) {
        files::write(path, &calls.finish())?;
    }
    show(output, &as_json(&report), as_text(&report, output))
}

/// Reads a log. `-` is the standard input.
fn read(path: &Path, options: &Simulate) -> Result<Traffic, Failure> {
    let selection = &options.traffic.selection;
    let read = match path.to_str() {
        Some("-") => log::read(std::io::stdin().lock(), "the log", selection),
        _ => log::open(path, selection),
    };
    read.map_err(|error| Failure::found(format!("cannot read `{}`: {error}", path.display())))
}

/// Decides about the traffic under each limit.
fn attempt<'t>(
    limits: Vec<Limit>,
    traffic: &'t Traffic,
    output: Output,
    options: &Simulate,
    mut calls: Option<&mut Calls<'_>>,
) -> Result<Report<'t>, Failure> {
    let grid = Grid::covering(traffic.length, parts(output));
    let cost = options.traffic.cost;
    let mut outcomes = Vec::new();
    for limit in limits {
        let outcome = decide(&limit, traffic, cost, grid, |call, decision| {
            if let Some(calls) = &mut calls {
                calls.add(&limit, call, decision);
            }
        });
        outcomes.push(outcome.map_err(Failure::found)?);
    }
    let mut report = Report::new(traffic, outcomes, cost);
    if !traffic.spent.is_empty() {
        for (at, outcome) in report.outcomes.iter().enumerate() {
            let compared = learned::compare(&outcome.limit, traffic).map_err(Failure::found)?;
            report.notes.push(format!("{}: {compared}", report::letter(at)));
        }
        report.notes.push(learned::NOTE.to_owned());
    }
    Ok(report)
}

/// Fills in the comparison of `--shadow`.
fn compare(report: &mut Report<'_>, hash: Option<&IdentityHash>) {
    let [now, then] = &report.outcomes[..] else { return };
    report.comparison = Some(Comparison::of(now, then, &report.traffic.callers, hash));
    if matches!(report.traffic.origin, Origin::Log { .. }) {
        report.notes.push(
            "The log shows what callers did under the limits of that time. A caller that is refused may behave differently."
                .to_owned(),
        );
    }
}
