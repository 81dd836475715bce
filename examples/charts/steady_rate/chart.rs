//! Draws `steady_rate.svg`: the admitted calls of the last second, with a panel for each algorithm and a line for each
//! store.

use crate::canvas::{self, Drawn, INK, LIMIT, Lettering, NAME, NOTE, Panel, Paper, Pen};
use crate::load::WORKERS;
use crate::subjects::Subject;
use crate::tally::{Run, SECOND};
use crate::{RATE, START};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use std::error::Error;

/// The lines of the first and the second store. The wider line is drawn first.
const PENS: [Pen; 2] =
    [Pen { ink: RGBColor(148, 197, 253), width: 18 }, Pen { ink: RGBColor(9, 75, 165), width: 6 }];

const MEAN: Lettering = Lettering { height: 11, ink: INK, end: HPos::Right };

const WIDTH: i32 = 900;
const LEFT: i32 = 44;
const TOP: i32 = 84;
const GAP: i32 = 22;
const HEIGHT: i32 = 128;
/// The distance between two rows of panels.
const PITCH: i32 = 190;
/// The largest number of panels in a row.
const COLUMNS: usize = 4;

/// The distance between two points of a line in milliseconds, which is about a pixel.
const STEP: usize = 50;

/// The positions of the panels: one for each subject, and one for the legend.
struct Grid {
    columns: usize,
    width: i32,
    /// The upper end of the y axis, in calls.
    highest: f64,
}

/// Returns the drawing as the text of an SVG file.
pub(crate) fn draw(subjects: &[Subject], runs: &[Run]) -> Result<String, Box<dyn Error>> {
    let cells = subjects.len() + 1;
    let grid = Grid::of(cells, runs)?;
    let rows = i32::try_from(cells.div_ceil(grid.columns))?;
    let title = format!("{WORKERS} workers in a loop against a limit of {RATE} per second");
    let axes = "calls admitted in the last second, over the time since the start";
    canvas::drawing((WIDTH, TOP + rows * PITCH - 24), [&title, axes], |paper| {
        for (at, subject) in subjects.iter().enumerate() {
            grid.panel(paper, at, subject, runs)?;
        }
        legend(paper, grid.corner(subjects.len())?, runs)
    })
}

impl Grid {
    fn of(cells: usize, runs: &[Run]) -> Result<Self, Box<dyn Error>> {
        let columns = cells.min(COLUMNS);
        let each = (WIDTH - LEFT) / i32::try_from(columns)?;
        let curves = runs.iter().flat_map(|run| &run.measured).flat_map(|measured| measured.curve(STEP));
        let highest = curves.map(|(_, passed)| passed).fold(f64::from(RATE), f64::max) * 1.05;
        Ok(Self { columns, width: each - GAP, highest })
    }

    fn corner(&self, at: usize) -> Result<(i32, i32), Box<dyn Error>> {
        let (row, column) = (i32::try_from(at / self.columns)?, i32::try_from(at % self.columns)?);
        Ok((LEFT + column * (self.width + GAP), TOP + row * PITCH))
    }

    fn panel(&self, paper: &Paper<'_>, at: usize, subject: &Subject, runs: &[Run]) -> Drawn {
        let (left, top) = self.corner(at)?;
        let seconds = runs.first().map_or(0, |run| run.measured[at].rolling.len() / SECOND);
        let seconds = u32::try_from(seconds)?;
        let ends = (seconds.into(), self.highest);
        let mut panel = Panel::new(paper, (left, top), (self.width, HEIGHT), ends)?;
        canvas::write(paper, &subject.name(), (left, top - 8), NAME)?;
        panel.heights(canvas::heights(&[0, RATE / 2, RATE], at.is_multiple_of(self.columns)))?;
        panel.times(canvas::seconds(seconds, seconds.div_ceil(4)))?;
        for (run, pen) in runs.iter().zip(PENS) {
            panel.line(run.measured[at].curve(STEP), pen)?;
        }
        panel.dashes(RATE.into(), LIMIT)?;
        for (line, run) in (0..).zip(runs) {
            let mean = format!("{} {:.1}", run.store, run.measured[at].mean());
            canvas::write(paper, &mean, (left + self.width - 4, top + HEIGHT - 30 + 16 * line), MEAN)?;
        }
        Ok(())
    }
}

fn legend(paper: &Paper<'_>, (left, top): (i32, i32), runs: &[Run]) -> Drawn {
    let line = |number: i32| top + 22 + 20 * number;
    let entry = |number, words: &str| canvas::write(paper, words, (left + 48, line(number)), NOTE);
    let mut next = 0;
    for (run, pen) in runs.iter().zip(PENS) {
        canvas::sample(paper, (left + 12, line(next)), 26, pen)?;
        entry(next, run.store)?;
        next += 1;
    }
    for dash in [0, 9, 18] {
        canvas::sample(paper, (left + 12 + dash, line(next)), 5, LIMIT)?;
    }
    entry(next, "the limit")?;
    canvas::write(paper, "Numbers: the mean of all", (left + 12, line(next + 1) + 8), NOTE)?;
    canvas::write(
        paper,
        &format!("seconds after the first {} s", START.as_secs()),
        (left + 12, line(next + 2) + 4),
        NOTE,
    )
}
