//! The report in the terminal: a table, a chart for each limit, notes, and the comparison.

use super::bars::{ADMITTED, Bar, REST, round_up, row};
use crate::output::{Align, Output, Style, Table, named, short};
use crate::simulate::engine::Outcome;
use crate::simulate::numbers::index;
use crate::simulate::report::{HEADINGS, LEGEND, Report, letter};
use crate::simulate::shadow::{Comparison, Hit};
use crate::simulate::time;
use std::fmt::Write;

/// The columns to the left of the chart, for a number and a line.
const MARGIN: usize = 8;

/// The maximum number of parts of a grid that the chart can show.
pub(crate) fn parts(output: Output) -> u64 {
    width(output) as u64
}

/// The columns of the chart without its margin.
fn width(output: Output) -> usize {
    output.columns.unwrap_or(80).saturating_sub(MARGIN).max(1)
}

/// The whole report.
pub(crate) fn as_text(report: &Report<'_>, output: Output) -> String {
    let traffic = output.wrap(&format!("Traffic: {}.", report.traffic.words), 0);
    let mut limits = Table::new([("", Align::Left); 3]);
    for (at, outcome) in report.outcomes.iter().enumerate() {
        limits.styled_row([
            (letter(at).to_string(), Style::Bold),
            (outcome.limit.to_string(), Style::Plain),
            (report.role(at).to_owned(), Style::Plain),
        ]);
    }
    let (limits, numbers) = (limits.render(output), numbers(report, output));
    let mut text = format!("{}\n\n{limits}\n{numbers}", output.paint(traffic, Style::Bold));
    text += &charts(report, output);
    text.push('\n');
    for note in LEGEND.into_iter().chain(report.notes.iter().map(String::as_str)) {
        let _ = writeln!(text, "{}", output.paint(format!("- {}", output.wrap(note, 2)), Style::Dim));
    }
    // The answer of the comparison is the last part, so that it is visible without scrolling.
    if let Some(comparison) = &report.comparison {
        text += &compared(comparison, report, output);
    }
    text
}

/// The table: a column for each limit.
fn numbers(report: &Report<'_>, output: Output) -> String {
    let cells: Vec<_> = report.outcomes.iter().map(Outcome::cells).collect();
    let columns = (0..cells.len()).map(|at| (letter(at).to_string(), Align::Right));
    let mut table = Table::new([(String::new(), Align::Left)].into_iter().chain(columns));
    for (at, heading) in HEADINGS.into_iter().enumerate() {
        table.row([heading.to_owned()].into_iter().chain(cells.iter().map(|cells| cells[at].clone())));
    }
    table.render(output)
}

/// The meaning of the blocks: one line, if it fits.
fn legend(report: &Report<'_>, output: Output) -> String {
    let gap = if output.columns.is_some_and(|columns| columns < 60) { "\n" } else { "  " };
    let [admitted, rest] = [ADMITTED, REST].map(|(block, style)| output.paint(block, style));
    let width = time::show(report.grid().width);
    format!("calls per {width}:{gap}{admitted} admitted{gap}{rest} offered, but not admitted\n")
}

/// A chart for each limit, with one axis of time below the last one.
fn charts(report: &Report<'_>, output: Output) -> String {
    let rows = if report.outcomes.len() <= 2 { 8 } else { 5 };
    let top = round_up(report.most());
    let bar_width = (width(output) / index(report.grid().parts).max(1)).max(1);
    let mut text = format!("\n{}", legend(report, output));
    for (at, outcome) in report.outcomes.iter().enumerate() {
        let series = &outcome.series;
        let _ = writeln!(text, "\n{}  {}", output.paint(letter(at), Style::Bold), outcome.limit);
        let parts = series.admitted.iter().zip(&series.offered);
        let bars: Vec<Bar> =
            parts.map(|(admitted, offered)| Bar { admitted: *admitted, offered: *offered }).collect();
        for at in (0..rows).rev() {
            let label = match at {
                _ if at + 1 == rows => short(top),
                0 => "0".to_owned(),
                _ => String::new(),
            };
            let label = output.paint(format!("{label:>6} ┤"), Style::Dim);
            let _ = writeln!(text, "{label}{}", row(&bars, at, (rows, top), bar_width, output));
        }
    }
    text + &output.paint(axis(report, output, bar_width), Style::Dim)
}

/// Ticks, their labels, and the title of the axis.
fn axis(report: &Report<'_>, output: Output, bar_width: usize) -> String {
    let (grid, origin) = (report.grid(), report.traffic.origin);
    let columns = index(grid.parts) * bar_width;
    let step = time::step(grid.length(), (columns / 9) as u64).max(grid.width);
    let (mut line, mut labels) = (vec!['─'; columns], vec![' '; (columns + 8).min(width(output))]);
    let mut at = origin.first_tick(step);
    while at < grid.length() {
        let column = index(at / grid.width) * bar_width;
        line[column] = '┬';
        let label: Vec<char> = origin.label(at, step).chars().collect();
        if let Some(place) = labels.get_mut(column..column + label.len()) {
            place.copy_from_slice(&label);
        }
        at += step;
    }
    let (line, labels): (String, String) = (line.into_iter().collect(), labels.into_iter().collect());
    let margin = " ".repeat(MARGIN - 1);
    format!("{margin}└{line}\n{margin} {}\n{margin} {}\n", labels.trim_end(), origin.axis())
}

/// The answer of `--shadow`, and the callers that are hit hardest.
fn compared(comparison: &Comparison, report: &Report<'_>, output: Output) -> String {
    let [now, then] = &report.outcomes[..] else { return String::new() };
    let answer = output.wrap(&comparison.answer(&now.limit, &then.limit), 0);
    let text = format!("\n{}\n", output.paint(answer, Style::Bold));
    if comparison.hardest_hit.is_empty() {
        return text;
    }
    let caller = ("caller", Align::Name);
    let mut table = Table::new([caller].into_iter().chain(Hit::COLUMNS.map(|title| (title, Align::Right))));
    for hit in &comparison.hardest_hit {
        table.row([named(&hit.caller)].into_iter().chain(hit.cells()));
    }
    let heading = output.wrap(&format!("{}:", comparison.heading()), 0);
    format!("{text}\n{heading}\n\n{}", table.render(output))
}
