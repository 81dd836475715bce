//! The plot: for each limit a panel with the admitted and the offered calls over the time.

use super::bars::round_up;
use crate::canvas::{self, Drawn, GRID, Lettering, NAME, NOTE, Panel, Paper, Pen, Point};
use crate::output::short;
use crate::simulate::engine::{Grid, Outcome};
use crate::simulate::numbers::float;
use crate::simulate::report::{FILES, Report, letter};
use crate::simulate::time;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use std::error::Error;

const WIDTH: i32 = 860;
const LEFT: i32 = 52;
/// The size of a panel, and the distance of two panels.
const PANEL: (i32, i32) = (WIDTH - LEFT - 16, 96);
const PITCH: i32 = PANEL.1 + 58;
/// The maximum length of a line with the traffic, in letters.
const LETTERS: usize = 125;
/// The maximum number of labels of the axis of time.
const LABELS: u64 = 9;

// Color-blind readers can tell blue from orange, which also differ in brightness.
const ADMITTED: RGBColor = RGBColor(0, 114, 178);
const REST: RGBColor = RGBColor(247, 205, 138);
const OFFERED: Pen = Pen { ink: RGBColor(140, 80, 0), width: 4 };

const RIGHT: Lettering = Lettering { end: HPos::Right, ..NOTE };

/// Draws the plot of a report. Returns the text of an SVG file.
pub(crate) fn plot(report: &Report<'_>) -> Result<String, Box<dyn Error>> {
    let words = textwrap::fill(&report.traffic.words, LETTERS);
    let legend_at = 54 + 18 * i32::try_from(words.lines().count())?;
    let first = legend_at + 54;
    let end = first + PITCH * i32::try_from(report.outcomes.len())?;
    canvas::drawing((WIDTH, end), ["Admitted and offered calls", &words], |paper| {
        legend(paper, legend_at, &report.unit(FILES))?;
        for (at, outcome) in (0..).zip(&report.outcomes) {
            let limit = format!("{}  {}", letter(at), outcome.limit);
            panel(paper, first + PITCH * i32::try_from(at)?, &limit, outcome, report)?;
        }
        canvas::write(paper, &report.traffic.origin.axis(), (WIDTH - 16, end - 16), RIGHT)
    })
}

/// Explains the colors, and the unit of the axis of calls.
fn legend(paper: &Paper<'_>, y: i32, unit: &str) -> Drawn {
    for (x, ink, height, words) in [
        (16, ADMITTED, 10, "admitted"),
        (116, REST, 10, "offered, but not admitted"),
        (300, OFFERED.ink, 2, "offered"),
    ] {
        canvas::bar(paper, (x, y - height / 2), (14, height), ink)?;
        canvas::write(paper, words, (x + 20, y), NOTE)?;
    }
    canvas::write(paper, unit, (WIDTH - 16, y), RIGHT)
}

fn panel(paper: &Paper<'_>, top: i32, limit: &str, outcome: &Outcome, report: &Report<'_>) -> Drawn {
    let (series, origin) = (&outcome.series[FILES], report.traffic.origin);
    let length = series.grid.length();
    let most = round_up(report.most(FILES));
    canvas::write(paper, limit, (16, top - 16), NAME)?;
    canvas::write(paper, &outcome.worst_words(), (WIDTH - 16, top - 16), RIGHT)?;
    let mut panel = Panel::new(paper, (LEFT, top), PANEL, (float(length), float(most)))?;
    let step = time::step(length, LABELS);
    let times = std::iter::successors(Some(origin.first_tick(step)), |at| Some(at + step));
    let times: Vec<u64> = times.take_while(|at| *at <= length).collect();
    for at in &times {
        panel.line([(float(*at), 0.0), (float(*at), float(most))], Pen { ink: GRID, width: 2 })?;
    }
    let parts = if most.is_multiple_of(2) { 2 } else { 1 };
    let heights = (0..=parts).map(|part| most * part / parts);
    panel.heights(heights.map(|height| (float(height), short(height))))?;
    panel.area(steps(&series.offered, series.grid), REST)?;
    panel.line(steps(&series.offered, series.grid), OFFERED)?;
    panel.area(steps(&series.admitted, series.grid), ADMITTED)?;
    panel.times(times.into_iter().map(|at| (float(at), origin.label(at, step))))
}

/// The line along the upper ends of bars.
fn steps(values: &[u64], grid: Grid) -> impl Iterator<Item = Point> {
    let ends = move |part: u64| [part, part + 1].map(|part| float(part * grid.width));
    (0..).zip(values).flat_map(move |(part, value)| ends(part).map(|x| (x, float(*value))))
}
