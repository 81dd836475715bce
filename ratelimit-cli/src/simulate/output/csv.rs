//! CSV: the calls of each limit in each part of the time.

use crate::simulate::report::{Report, Resolution};
use std::fmt::Write;

pub(crate) fn csv(report: &Report<'_>) -> String {
    let mut text = String::from("limit,start,offered,admitted,refused\n");
    let offered = &report.offered[Resolution::Files as usize];
    let width = report.grids[Resolution::Files as usize].width;
    for trial in &report.trials {
        let Some(series) = trial.series(Resolution::Files) else { continue };
        let parts = offered.iter().zip(&series.admitted).zip(&series.refused);
        for (part, ((offered, admitted), refused)) in (0..).zip(parts) {
            let start = report.traffic.origin.stamp(part * width);
            // Writing to a `String` does not fail.
            let _ = writeln!(text, "{},{start},{offered},{admitted},{refused}", trial.limit);
        }
    }
    text
}
