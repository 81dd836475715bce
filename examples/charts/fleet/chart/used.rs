//! Draws `fleet_use.svg`: the unused units, the exceeded limits and the script calls, for each size of the largest lease.

use super::{INKS, PALE};
use crate::canvas::{self, Drawn, Lettering, NAME, NOTE, Panel, Paper, Pen};
use crate::{Comparison, RATE, Row};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;
use std::error::Error;

const SIZE: (i32, i32) = (900, 370);
const TOP: i32 = 104;
const PANEL: (i32, i32) = (250, 196);
const LEFTS: [i32; 3] = [36, 334, 632];

const TICK: Lettering = Lettering { height: 11, end: HPos::Center, ..NOTE };

/// The values that a panel shows for each limit.
struct Subject<'a> {
    title: &'a str,
    heights: &'a [u32],
    value: &'a dyn Fn(&Row) -> f64,
    /// The distance of each label below its line, in pixels.
    down: [i32; 2],
}

pub(crate) fn draw(comparisons: &[Comparison], processes: usize) -> Result<String, Box<dyn Error>> {
    let title = format!("{processes} processes share {RATE} per second by leases");
    let axes = "by the most units that a process may have on lease; how many it takes follows its calls";
    let percent_saved = |row: &Row| row.measured.redis_calls * 100.0 / f64::from(RATE);
    let subjects = [
        Subject {
            title: "percent not used",
            heights: &[0, 1, 2, 3, 4, 5],
            value: &|row| row.measured.under_use,
            down: [-26, -12],
        },
        Subject {
            title: "percent above the limit",
            heights: &[0, 5, 10, 15, 20, 25, 30],
            value: &|row| row.measured.over_use,
            down: [-26, -12],
        },
        Subject {
            title: "script calls, percent of the limit",
            heights: &[0, 25, 50, 75, 100, 125],
            value: &percent_saved,
            down: [14, -12],
        },
    ];
    canvas::drawing(SIZE, [&title, axes], |paper| {
        for (at, subject) in subjects.iter().enumerate() {
            let mut panel = panel(paper, LEFTS[at], subject, comparisons)?;
            if at == 1 {
                bound(&mut panel, comparisons, processes)?;
            }
        }
        Ok(())
    })
}

fn panel<'a>(
    paper: &Paper<'a>,
    left: i32,
    subject: &Subject<'_>,
    comparisons: &[Comparison],
) -> Result<Panel<'a>, Box<dyn Error>> {
    let columns = comparisons.first().map_or(0, |comparison| leased(comparison).count());
    let top = f64::from(subject.heights.last().copied().unwrap_or(1));
    canvas::write(paper, subject.title, (left - 20, TOP - 22), NAME)?;
    let mut panel = Panel::new(paper, (left, TOP), PANEL, (float(columns), top))?;
    panel.heights(canvas::heights(subject.heights, true))?;
    for (at, row) in comparisons.iter().take(1).flat_map(leased).enumerate() {
        let lease = row.name.split_once("= ").map_or("none", |(_, lease)| lease.trim_matches('"'));
        panel.words(lease, (float(at) + 0.5, 0.0), (0, 14), TICK)?;
    }
    panel.words("lease", (float(columns) / 2.0, 0.0), (0, 32), TICK)?;
    for ((comparison, ink), down) in comparisons.iter().zip(INKS).zip(subject.down) {
        let points: Vec<_> =
            leased(comparison).enumerate().map(|(at, row)| (float(at) + 0.5, (subject.value)(row))).collect();
        named(&mut panel, &points, comparison.limit.algorithm().as_str(), ink, down)?;
    }
    Ok(panel)
}

fn named(panel: &mut Panel<'_>, points: &[(f64, f64)], name: &str, ink: RGBColor, down: i32) -> Drawn {
    panel.line(points.iter().copied(), Pen { ink, width: 8 })?;
    let Some(place) = points.get(points.len() * 2 / 3) else { return Ok(()) };
    panel.words(name, *place, (0, down), Lettering { ink, end: HPos::Center, ..NOTE })
}

/// Draws the bound of a bucket: by how many percent of its burst the bucket may exceed the burst. The bound is the share
/// of all units that can be on lease, and at most 25 %.
fn bound(panel: &mut Panel<'_>, comparisons: &[Comparison], processes: usize) -> Drawn {
    let Some(comparison) = comparisons.last() else { return Ok(()) };
    let burst = f64::from(comparison.limit.capacity());
    let most = |row: &Row| (float(processes) * f64::from(row.lease) * 100.0 / burst).min(25.0);
    let points: Vec<_> =
        leased(comparison).enumerate().map(|(at, row)| (float(at) + 0.5, most(row))).collect();
    named(panel, &points, "the bound of a bucket", PALE, -10)
}

/// Returns the rows with leases, and before them the row of the default strategy.
fn leased(comparison: &Comparison) -> impl Iterator<Item = &Row> {
    let without = comparison.rows.iter().filter(|row| row.lease == 0).count();
    comparison.rows.iter().skip(without.saturating_sub(1))
}

fn float(number: usize) -> f64 {
    u32::try_from(number).map_or(1.0, f64::from)
}
