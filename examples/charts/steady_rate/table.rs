//! Prints a row every 200 ms, and a summary for each algorithm.

use crate::load::WORKERS;
use crate::store::Target;
use crate::subjects::{Subject, WHY_NOT_CONCURRENCY};
use crate::tally::{Counts, Measured, Run};
use crate::{RATE, START, TOLERANCE};
use std::time::Duration;

const LATE_ANSWERS: &str = "A call counts when its reply arrives, so late replies can make a second look fuller than it was in the store.";

const BUSY: &str = "On a busy machine the workers wake up late. Run this example alone.";

/// Returns the text before the first table.
pub(crate) fn introduction(seconds: u32) -> String {
    format!(
        "For each algorithm, {WORKERS} workers call a limit of {RATE} per second in a loop. A refused worker waits for the\n\
         retry-after of its decision. The cells are admitted/refused/failed calls of the last second. The mean\n\
         covers {seconds} s, after the burst of the first {} s.\n",
        START.as_secs()
    )
}

/// Returns the two lines above the table of a store.
pub(crate) fn heading(store: &Target, subjects: &[Subject]) -> String {
    let names = subjects.iter().map(|subject| subject.limit.algorithm().as_str());
    let variants = subjects.iter().map(|subject| subject.variant);
    format!(
        "\nLimits are kept in {}.\n\n{}\n{}\n",
        store.description,
        line("time", names.map(str::to_owned)),
        line("", variants.map(str::to_owned)).trim_end()
    )
}

/// Returns one row: the calls of the last second for every algorithm.
pub(crate) fn row(time: Duration, counts: &[Counts]) -> String {
    let cells = counts.iter().map(|counts| {
        let Counts { admitted, refused, failed } = counts;
        format!("{admitted}/{refused}/{failed}")
    });
    line(&format!("{:.1} s", time.as_secs_f64()), cells) + "\n"
}

fn line(first: &str, cells: impl Iterator<Item = String>) -> String {
    cells.fold(format!("{first:>6}"), |line, cell| line + &format!("{cell:>15}"))
}

/// Returns the means of all algorithms, and whether they are within the tolerance.
pub(crate) fn summary(runs: &[Run], subjects: &[Subject], absent: Option<&str>) -> String {
    let mut lines = vec![
        String::new(),
        format!(
            "{:<24} {:<8} {:>8} {:>9} {:>16} {:>10} {:>8}",
            "algorithm", "store", "mean/s", "off", "most in a second", "refused", "failed"
        ),
    ];
    for (at, subject) in subjects.iter().enumerate() {
        for run in runs {
            lines.push(result(&subject.name(), run.store, &run.measured[at]));
        }
    }
    lines.push(String::new());
    lines.push(LATE_ANSWERS.to_owned());
    lines.extend(runs.iter().filter_map(failure));
    lines.extend(absent.map(str::to_owned));
    lines.push(format!("Left out: {WHY_NOT_CONCURRENCY}."));
    lines.push(verdict(runs));
    lines.join("\n") + "\n"
}

fn result(name: &str, store: &str, measured: &Measured) -> String {
    let Counts { refused, failed, .. } = measured.total;
    let mark = if measured.is_steady() { "" } else { "  <-- not steady" };
    format!(
        "{name:<24} {store:<8} {:>8.2} {:>+7.2} % {:>16} {refused:>10} {failed:>8}{mark}",
        measured.mean(),
        hundredths(measured.percent_off()),
        measured.most(),
    )
}

fn failure(run: &Run) -> Option<String> {
    let first = run.measured.iter().find_map(|measured| measured.failure.as_ref())?;
    Some(format!("The first failure in {}: {first}.", run.store))
}

/// Rounds to hundredths. The added zero turns minus zero into zero.
fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}

fn verdict(runs: &[Run]) -> String {
    let all = || runs.iter().flat_map(|run| &run.measured);
    let (means, unsteady) = (all().count(), all().filter(|measured| !measured.is_steady()).count());
    if unsteady == 0 {
        return format!("Steady: all {means} means are within {TOLERANCE} % of {RATE} per second.");
    }
    let verdict =
        format!("NOT steady: {unsteady} of {means} means are more than {TOLERANCE} % off {RATE} per second.");
    let failed = all().any(|measured| measured.failure.is_some());
    if failed { verdict } else { verdict + "\n" + BUSY }
}
