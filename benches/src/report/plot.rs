//! Draws tables as bar charts, in two columns of one SVG file.

use super::series::{Series, shown};
use super::table::{Better, Row, Table};
use crate::canvas::{self, Drawn, INK, Lettering, NAME, NOTE, PALE_INK, Paper};
use plotters::style::text_anchor::HPos;
use plotters::style::{RGBColor, WHITE};
use std::error::Error;

const OURS: RGBColor = RGBColor(10, 74, 143);
const OURS_SPREAD: RGBColor = RGBColor(108, 166, 232);
const OTHERS: RGBColor = RGBColor(182, 194, 206);

const WIDTH: i32 = 900;
const MARGIN: i32 = 16;
const PANEL: i32 = 418;
/// The left end of the bars in a panel, and the length of the longest bar, in pixels.
const BARS_FROM: i32 = 192;
const LONGEST: f64 = 164.0;
/// The length of the longest bar if there is only one panel: the width minus the room for a figure and for a spread.
const LONGEST_ALONE: f64 = 576.0;
/// The line from the lowest to the highest round can be longer than the longest bar, at most by this factor.
const LONGEST_LINE: f64 = 1.12;
const ROW: i32 = 21;
const BAR: i32 = 12;

/// One selected column of a table.
struct Panel<'t> {
    table: &'t Table,
    column: usize,
    better: Better,
    rows: Vec<(&'t Row, &'t Series)>,
}

/// Draws the selected columns of the tables. `None` if no column is selected.
pub(crate) fn svg(title: &str, subtitle: &str, tables: &[Table]) -> Result<Option<String>, Box<dyn Error>> {
    let selected = tables.iter().flat_map(|table| table.drawn.iter().map(move |drawn| (table, *drawn)));
    let panels: Vec<Panel<'_>> = selected.map(|(table, drawn)| Panel::of(table, drawn)).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let longest = if panels.len() == 1 { LONGEST_ALONE } else { LONGEST };
    let mut ends = [72; 2];
    let mut places = Vec::new();
    for (at, panel) in panels.iter().enumerate() {
        let left = if at % 2 == 0 { MARGIN } else { WIDTH - MARGIN - PANEL };
        places.push((left, ends[at % 2]));
        ends[at % 2] += 62 + ROW * i32::try_from(panel.rows.len())?;
    }
    let height = ends[0].max(ends[1]);
    let svg = canvas::drawing((WIDTH, height), [title, subtitle], |paper| {
        panels.iter().zip(places).try_for_each(|(panel, place)| panel.draw(paper, place, longest))
    })?;
    Ok(Some(svg))
}

impl<'t> Panel<'t> {
    fn of(table: &'t Table, (column, better): (usize, Better)) -> Self {
        let rows = table.rows.iter().filter_map(|row| Some((row, row.figures.get(column)?))).collect();
        Self { table, column, better, rows }
    }

    fn draw(&self, paper: &Paper<'_>, (left, top): (i32, i32), longest: f64) -> Drawn {
        let longer = match self.better {
            Better::Less => "shorter is better",
            Better::More => "longer is better",
        };
        canvas::write(paper, &self.table.title, (left, top + 8), NAME)?;
        let axis = format!("{}; {longer}", self.table.columns[self.column]);
        canvas::write(paper, &axis, (left, top + 25), Lettering { height: 11, ..NOTE })?;
        let scale = longest / longest_full(self.rows.iter().map(|(_, series)| series.median()));
        for (at, (row, series)) in (0..).zip(&self.rows) {
            bar(paper, (left + BARS_FROM, top + 40 + at * ROW), row, series, (scale, longest))?;
        }
        Ok(())
    }
}

/// Returns the figure at which a bar has its full length: the largest figure. If one of several figures is far above the
/// others, returns a smaller figure, and the bar of that one is cut.
fn longest_full(medians: impl Iterator<Item = f64>) -> f64 {
    let mut medians: Vec<f64> = medians.filter(|median| median.is_finite()).collect();
    medians.sort_by(f64::total_cmp);
    match medians[..] {
        [_, .., next, most] if medians.len() > 3 && most > 3.0 * next => 1.5 * next,
        _ => medians.last().copied().unwrap_or(1.0),
    }
}

/// Draws the name, the bar, the figure, and a thin line from the lowest to the highest round. A gap marks a bar that was
/// cut.
fn bar(
    paper: &Paper<'_>,
    (from, top): (i32, i32),
    row: &Row,
    series: &Series,
    (scale, longest): (f64, f64),
) -> Drawn {
    // The line must stay inside the panel, even if a round was much worse than the others.
    let length = |figure: f64| pixels((figure * scale).min(longest * LONGEST_LINE));
    let (paint, spread, ink) = if row.is_ours { (OURS, OURS_SPREAD, OURS) } else { (OTHERS, PALE_INK, INK) };
    let words = Lettering { height: 11, ink, end: HPos::Left };
    let middle = top + 2 + BAR / 2;
    canvas::write(paper, &row.subject, (from - 8, middle), Lettering { end: HPos::Right, ..words })?;
    let median = series.median();
    let mut end = length(median).max(1);
    canvas::bar(paper, (from, middle - BAR / 2), (end, BAR), paint)?;
    if median * scale > longest * 1.001 {
        canvas::bar(paper, (from + end - 24, middle - BAR / 2), (4, BAR), WHITE)?;
    } else if let Some((low, high)) = series.spread() {
        let (low, high) = (length(low), length(high));
        canvas::bar(paper, (from + low, middle - 1), ((high - low).max(1), 2), spread)?;
        end = end.max(high);
    }
    canvas::write(paper, &shown(median), (from + end + 6, middle), words)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a length on the paper; a figure that is no number has none"
)]
const fn pixels(length: f64) -> i32 {
    length as i32
}

#[cfg(test)]
mod tests {
    use super::{longest_full, svg};
    use crate::report::{Better, Row, Table};

    #[test]
    fn a_bar_far_above_the_others_is_cut() {
        let longest = |medians: &[f64]| format!("{:.1}", longest_full(medians.iter().copied()));
        assert_eq!(longest(&[1.0, 90.0, 2.0, f64::NAN, 4.0]), "6.0");
        assert_eq!(longest(&[1.0, 9.0, 2.0, 4.0]), "9.0");
        assert_eq!(longest(&[1.0, 2.0, 90.0]), "90.0");
    }

    #[test]
    fn every_subject_has_a_bar_and_text_is_escaped() {
        let mut table = Table::new("a < b", &["ns"]).draw(0, Better::Less);
        for (subject, figure) in [("ours", 1.0), ("theirs", 2.0)] {
            let mut row = Row::new(subject, subject == "ours", 1);
            row.push(&[figure]);
            table.rows.push(row);
        }
        let drawn = svg("title", "day", &[table, Table::new("not drawn", &["ns"])]).unwrap().unwrap();
        assert_eq!(drawn.matches("<rect x=").count(), 3, "the paper and two bars");
        assert!(drawn.contains("a &lt; b") && !drawn.contains("not drawn"));
        // The file contains the size in quarters of a pixel, which is four times the shown size.
        assert!(drawn.contains("width=\"1152\"") && drawn.contains("width=\"2304\""), "{drawn}");
        assert!(svg("title", "day", &[]).unwrap().is_none());
    }
}
