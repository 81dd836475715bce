//! Draws a panel for each limit, with the admitted and the offered calls over time.

use crate::canvas::{self, Drawn, Lettering, NAME, NOTE, Panel, Paper, Pen};
use crate::{Decided, LENGTH, PART, PARTS};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use std::error::Error;

const WIDTH: i32 = 860;
const LEFT: i32 = 52;
/// The size of a panel, and the distance between two panels.
const PANEL: (i32, i32) = (WIDTH - LEFT - 16, 96);
const PITCH: i32 = PANEL.1 + 58;
/// The vertical positions of the legend and of the first panel.
const LEGEND: i32 = 72;
const FIRST: i32 = LEGEND + 54;
/// The upper end of the axis of calls.
const HIGHEST: u32 = 100;
const MINUTE: u32 = 60_000;

// Color-blind readers can distinguish blue from orange, and the two colors also differ in brightness.
const ADMITTED: RGBColor = RGBColor(0, 114, 178);
const REST: RGBColor = RGBColor(247, 205, 138);
const OFFERED: Pen = Pen { ink: RGBColor(140, 80, 0), width: 4 };
const GRID: Pen = Pen { ink: RGBColor(226, 230, 235), width: 2 };

const RIGHT: Lettering = Lettering { end: HPos::Right, ..NOTE };

/// Returns the text of an SVG file.
pub(crate) fn draw(offered: &[u32; PARTS], all: &[Decided]) -> Result<String, Box<dyn Error>> {
    let end = FIRST + PITCH * i32::try_from(all.len())?;
    let words = "48/min evenly spaced and bursts of 80 every 55s for 5m, 1 caller";
    canvas::drawing((WIDTH, end), ["Admitted and offered calls", words], |paper| {
        legend(paper)?;
        for (at, (letter, decided)) in (0..).zip(('A'..).zip(all)) {
            let top = FIRST + PITCH * at;
            let limit = format!("{letter}  {}", decided.limit);
            canvas::write(paper, &limit, (16, top - 16), NAME)?;
            panel(paper, top, offered, decided)?;
        }
        canvas::write(paper, "time since the start", (WIDTH - 16, end - 16), RIGHT)
    })
}

/// Explains the colors, and the unit of the axis of calls.
fn legend(paper: &Paper<'_>) -> Drawn {
    for (x, ink, height, words) in [
        (16, ADMITTED, 10, "admitted"),
        (116, REST, 10, "offered, but not admitted"),
        (300, OFFERED.ink, 2, "offered"),
    ] {
        canvas::bar(paper, (x, LEGEND - height / 2), (14, height), ink)?;
        canvas::write(paper, words, (x + 20, LEGEND), NOTE)?;
    }
    canvas::write(paper, &format!("calls per {}s", PART / 1000), (WIDTH - 16, LEGEND), RIGHT)
}

fn panel(paper: &Paper<'_>, top: i32, offered: &[u32; PARTS], decided: &Decided) -> Drawn {
    let worst = u32::try_from(decided.worst)?;
    let share = f64::from(worst) / f64::from(decided.limit.count());
    let words = format!("at most {worst} ({share:.2}x) within 1m");
    canvas::write(paper, &words, (WIDTH - 16, top - 16), RIGHT)?;
    let highest = f64::from(HIGHEST);
    let mut panel = Panel::new(paper, (LEFT, top), PANEL, (LENGTH.into(), highest))?;
    let minutes = || (0..=LENGTH / MINUTE).map(|minute| (minute, f64::from(minute * MINUTE)));
    for (_, at) in minutes() {
        panel.line([(at, 0.0), (at, highest)], GRID)?;
    }
    panel.heights(canvas::heights(&[0, HIGHEST / 2, HIGHEST], true))?;
    panel.area(steps(offered), REST)?;
    panel.line(steps(offered), OFFERED)?;
    panel.area(steps(&decided.admitted), ADMITTED)?;
    let label = |minute| if minute == 0 { "0".to_owned() } else { format!("{minute}m") };
    panel.times(minutes().map(|(minute, at)| (at, label(minute))))
}

/// Returns the line along the upper ends of bars.
fn steps(values: &[u32; PARTS]) -> impl Iterator<Item = (f64, f64)> {
    let ends = |part: u32| [part, part + 1].map(|part| f64::from(part * PART));
    (0..).zip(values).flat_map(move |(part, value)| ends(part).map(|x| (x, f64::from(*value))))
}
