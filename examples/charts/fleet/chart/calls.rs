//! Draws `fleet_calls.svg`: the script calls of each strategy, as bars.

use super::{INKS, PALE};
use crate::canvas::{self, Drawn, Lettering, NAME, NOTE, Paper};
use crate::simulate::Strategy;
use crate::{Comparison, RATE, Row};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use std::error::Error;

const WIDTH: i32 = 900;
const TOP: i32 = 96;
const LEFT: i32 = 190;
const LONGEST: f64 = 520.0;
/// The distance between bars, and their height.
const PITCH: i32 = 22;
const BAR: i32 = 14;
/// The space below the bars of a limit.
const GAP: i32 = 46;

/// The leases that are drawn.
const LEASES: [&str; 4] = ["lease = 5", "lease = 20", "lease = 200", "auto"];

pub(crate) fn draw(comparisons: &[Comparison], processes: usize) -> Result<String, Box<dyn Error>> {
    let drawn: Vec<Vec<&Row>> = comparisons
        .iter()
        .map(|comparison| comparison.rows.iter().filter(|row| is_drawn(row)).collect())
        .collect();
    let rows = i32::try_from(drawn.iter().map(Vec::len).sum::<usize>() + comparisons.len())?;
    let most = drawn.iter().flatten().map(|row| row.measured.redis_calls).fold(1.0, f64::max);
    let title = format!("{processes} processes share one limit of {RATE} per second: what reaches Redis");
    let axes = "script calls a second; the number of calls that ask is the first bar";
    canvas::drawing((WIDTH, TOP + rows * PITCH + GAP), [&title, axes], |paper| {
        let mut top = TOP;
        for ((comparison, rows), ink) in comparisons.iter().zip(&drawn).zip(INKS) {
            canvas::write(
                paper,
                comparison.limit.algorithm().as_str(),
                (16, top - 14),
                Lettering { ink, ..NAME },
            )?;
            for row in rows {
                bar(paper, top, row, most, ink)?;
                top += PITCH;
            }
            top += GAP;
        }
        Ok(())
    })
}

fn is_drawn(row: &Row) -> bool {
    row.lease == 0 || LEASES.iter().any(|lease| row.name.trim_end_matches('"').ends_with(lease))
}

fn bar(paper: &Paper<'_>, top: i32, row: &Row, most: f64, ink: RGBColor) -> Drawn {
    let calls = row.measured.redis_calls;
    let middle = top + BAR / 2;
    canvas::write(paper, &row.name, (LEFT - 10, middle), Lettering { end: HPos::Right, ..NOTE })?;
    let ink = if row.name == Strategy::EACH.name { PALE } else { ink };
    let width = pixels(calls / most * LONGEST);
    canvas::bar(paper, (LEFT, top), (width, BAR), ink)?;
    let words = format!("{calls:.0}/s for {:.0} that pass", row.measured.admitted);
    canvas::write(paper, &words, (LEFT + width + 8, middle), NOTE)
}

#[expect(clippy::cast_possible_truncation, reason = "a width on the paper")]
const fn pixels(width: f64) -> i32 {
    width as i32
}
