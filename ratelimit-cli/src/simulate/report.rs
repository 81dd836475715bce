//! The report of a simulation: the traffic, and the outcome of each limit. All outputs show it.

use super::engine::{Grid, Outcome};
use super::numbers::{float, percent};
use super::shadow::Comparison;
use super::time;
use super::traffic::Traffic;

#[derive(Debug)]
pub(crate) struct Report<'t> {
    pub(crate) traffic: &'t Traffic,
    /// One outcome for each limit.
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) comparison: Option<Comparison>,
    /// Sentences about the traffic and about each limit.
    pub(crate) notes: Vec<String>,
}

/// The titles of [`Outcome::cells`].
pub(crate) const HEADINGS: [&str; 6] =
    ["offered", "admitted", "refused", "waited", "refused in a row", "worst window"];

/// The meaning of the titles that need an explanation.
pub(crate) const LEGEND: [&str; 2] = [
    "refused in a row: the most refusals of one caller without an admitted call in between.",
    "worst window: the most units that one caller was admitted within any interval of the limit's `time`, and how many times `count` that is.",
];

/// The letter of the limit at a position: `A` for the first one.
pub(crate) fn letter(at: usize) -> char {
    ('A'..).nth(at).unwrap_or('?')
}

impl Outcome {
    /// The units of the worst window, and their ratio to `count`, such as `199 (1.99x)`.
    fn worst(&self) -> String {
        match self.limit.count() {
            0 => self.worst.to_string(),
            count => format!("{} ({:.2}x)", self.worst, float(self.worst) / f64::from(count)),
        }
    }

    /// The cells below [`HEADINGS`].
    pub(crate) fn cells(&self) -> [String; 6] {
        let Self { offered, admitted, refused, waited, longest_wait, streak, .. } = self;
        let with_percent = |part: &u64| format!("{part} ({})", percent(*part, *offered));
        let waited = if *waited == 0 {
            "0".to_owned()
        } else {
            format!("{waited} (to {})", time::show(*longest_wait))
        };
        let row = match streak.refusals {
            refusals @ 0..=1 => refusals.to_string(),
            refusals if streak.length == 0 => format!("{refusals} at once"),
            refusals => format!("{refusals} in {}", time::show(streak.length)),
        };
        [offered.to_string(), with_percent(admitted), with_percent(refused), waited, row, self.worst()]
    }
}

impl<'t> Report<'t> {
    /// Creates a report without a comparison. Each call costs `cost` units.
    pub(crate) fn new(traffic: &'t Traffic, outcomes: Vec<Outcome>, cost: u32) -> Self {
        let mut notes = traffic.notes.clone();
        for (at, outcome) in outcomes.iter().enumerate() {
            notes.extend(of_limit(outcome, cost).map(|note| format!("{}: {note}", letter(at))));
        }
        Self { traffic, outcomes, comparison: None, notes }
    }

    /// The grid that all series share.
    pub(crate) fn grid(&self) -> Grid {
        self.outcomes[0].series.grid
    }

    /// The largest number of offered or admitted calls in one part of the time, over all limits. At least 1.
    pub(crate) fn most(&self) -> u64 {
        let series = self.outcomes.iter().map(|outcome| &outcome.series);
        series.flat_map(|series| series.offered.iter().chain(&series.admitted)).copied().fold(1, u64::max)
    }

    /// The role of a limit in a comparison with `--shadow`.
    pub(crate) fn role(&self, at: usize) -> &'static str {
        match (&self.comparison, at) {
            (None, _) => "",
            (Some(_), 0) => "in force",
            (Some(_), _) => "candidate",
        }
    }

    /// Whether the report shows callers one by one.
    pub(crate) fn names_callers(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| !comparison.hardest_hit.is_empty())
    }
}

/// The notes about one limit.
fn of_limit(outcome: &Outcome, cost: u32) -> impl Iterator<Item = String> {
    let Outcome { limit, never, callers_refused, .. } = outcome;
    let (callers, later) = (outcome.callers.len(), outcome.series.later);
    let why = match limit.count() {
        0 => "a limit with `count=0` refuses every call".to_owned(),
        _ => format!("each costs {cost} and the limit holds at most {}", limit.capacity()),
    };
    let has_lease = limit.to_string().contains(" lease=");
    [
        (callers > 1).then(|| format!("callers with refused calls: {callers_refused} of {callers}.")),
        (*never > 0).then(|| format!("{never} calls can never pass, because {why}.")),
        (later > 0)
            .then(|| format!("{later} admitted calls start after the end of the chart, because they wait.")),
        has_lease.then(|| "leases are not simulated; every call asks the store.".to_owned()),
    ]
    .into_iter()
    .flatten()
}
