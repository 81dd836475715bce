//! The report of a simulation: the traffic, and each limit with its outcome. All outputs show it.

use super::engine::{Grid, Outcome, Series};
use super::numbers::{float, percent};
use super::shadow::Comparison;
use super::time;
use super::traffic::Traffic;
use ratelimit::{Algorithm, Limit};

/// A limit and what it made of the traffic.
#[derive(Debug)]
pub(crate) struct Trial {
    /// `A` for the first limit.
    pub(crate) letter: char,
    pub(crate) limit: Limit,
    pub(crate) outcome: Outcome,
}

#[derive(Debug)]
pub(crate) struct Report<'t> {
    pub(crate) traffic: &'t Traffic,
    pub(crate) trials: Vec<Trial>,
    /// The grid of the chart in the terminal, and the grid of the files.
    pub(crate) grids: [Grid; 2],
    /// The offered calls in each part of each grid.
    pub(crate) offered: [Vec<u64>; 2],
    pub(crate) comparison: Option<Comparison>,
    pub(crate) notes: Vec<String>,
}

/// One of the grids of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolution {
    Terminal = 0,
    Files = 1,
}

/// The numbers of a trial as text, with their headings.
pub(crate) const HEADINGS: [&str; 6] =
    ["offered", "admitted", "refused", "waited", "refused in a row", "worst window"];

impl Trial {
    pub(crate) fn series(&self, resolution: Resolution) -> Option<&Series> {
        self.outcome.series.get(resolution as usize)
    }

    /// The worst window as a multiple of `count`.
    pub(crate) fn excess(&self) -> Option<f64> {
        let count = self.limit.count();
        (count > 0).then(|| float(self.outcome.worst) / f64::from(count))
    }

    /// The worst window, such as `199 (1.99x)`.
    pub(crate) fn worst(&self) -> String {
        let worst = self.outcome.worst;
        self.excess().map_or_else(|| worst.to_string(), |excess| format!("{worst} ({excess:.2}x)"))
    }

    /// The cells below [`HEADINGS`].
    pub(crate) fn cells(&self) -> [String; 6] {
        let Outcome { offered, admitted, refused, waited, longest_wait, streak, .. } = self.outcome;
        let with_percent = |part| format!("{part} ({})", percent(part, offered));
        let waited =
            if waited == 0 { "0".to_owned() } else { format!("{waited} (to {})", time::show(longest_wait)) };
        let row = match streak.refusals {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            refusals if streak.length == 0 => format!("{refusals} at once"),
            refusals => format!("{refusals} in {}", time::show(streak.length)),
        };
        [offered.to_string(), with_percent(admitted), with_percent(refused), waited, row, self.worst()]
    }

    /// What the worst window means for this limit.
    pub(crate) fn worst_words(&self) -> String {
        match self.limit.algorithm() {
            Algorithm::Concurrency => format!("at most {} at once", self.outcome.worst),
            _ => format!("at most {} within {}", self.worst(), time::show(time::micros(self.limit.time()))),
        }
    }
}

impl Report<'_> {
    /// The words above the numbers of a chart, such as `calls per 10s`.
    pub(crate) fn unit(&self, resolution: Resolution) -> String {
        format!("calls per {}", time::show(self.grids[resolution as usize].width))
    }

    /// What the trial at a place is in a comparison with `--shadow`.
    pub(crate) fn role(&self, at: usize) -> Option<&'static str> {
        let role = if at == 0 { "in force" } else { "candidate" };
        self.comparison.as_ref().map(|_| role)
    }

    /// The largest number of calls in a part, offered or admitted, of all limits. At least 1.
    pub(crate) fn most(&self, resolution: Resolution) -> u64 {
        let offered = self.offered[resolution as usize].iter().copied().max().unwrap_or_default();
        let admitted = self.trials.iter().filter_map(|trial| trial.series(resolution)).map(Series::most);
        admitted.fold(offered.max(1), u64::max)
    }

    /// Whether the report shows callers one by one.
    pub(crate) fn names_callers(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| !comparison.hardest_hit.is_empty())
    }

    /// What the numbers of the table mean.
    pub(crate) fn legend() -> [&'static str; 2] {
        [
            "refused in a row: the most refusals of one caller without an admitted call in between.",
            "worst window: the most units that one caller was admitted within any interval of the limit's `time`, and how many times `count` that is.",
        ]
    }
}
