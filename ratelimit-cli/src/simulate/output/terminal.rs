//! The report in the terminal: a table, a chart for each limit, the comparison, and notes.

use super::bars::{Bar, COLORED, Colors, PLAIN, SHADE, round_up, row, short};
use super::table::{aligned, wrapped};
use crate::simulate::numbers::{count, index};
use crate::simulate::report::{HEADINGS, Report, Resolution, Trial};
use crate::simulate::shadow::Comparison;
use crate::simulate::time;
use std::fmt::Write;
use std::io::IsTerminal;

/// The columns left of the chart: a number and a line.
const MARGIN: usize = 8;

/// How the terminal shows text.
pub(crate) struct Screen {
    /// In characters.
    pub(crate) width: usize,
    pub(crate) colors: &'static Colors,
}

impl Screen {
    /// The standard output. Without an order it has colors if it is a terminal that is not dumb, and `NO_COLOR` is not set.
    pub(crate) fn of_stdout(width: Option<u16>, colors: Option<bool>) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_colored = colors.unwrap_or_else(|| is_terminal && !is_dumb && !set("NO_COLOR"));
        let colors = if is_colored { &COLORED } else { &PLAIN };
        let seen = || terminal_size::terminal_size().map(|(width, _)| width.0).filter(|_| is_terminal);
        let width = width.or_else(seen).unwrap_or(80).clamp(40, 400);
        Self { width: usize::from(width), colors }
    }

    /// The most parts of a grid that the chart can show.
    pub(crate) fn columns(&self) -> u64 {
        count(self.width - MARGIN)
    }
}

/// The whole report.
pub(crate) fn text(report: &Report<'_>, screen: &Screen) -> String {
    let Colors { pale, bold, reset, .. } = screen.colors;
    let mut text = String::new();
    for line in wrapped(&format!("Traffic: {}.", report.traffic.words), screen.width) {
        let _ = writeln!(text, "{bold}{line}{reset}");
    }
    text.push('\n');
    let width = report.trials.iter().map(|trial| trial.limit.to_string().len()).max().unwrap_or_default();
    for (at, trial) in report.trials.iter().enumerate() {
        let (role, limit) = (report.role(at).unwrap_or_default(), trial.limit.to_string());
        let line = format!("{bold}{}{reset}  {limit:<width$}  {role}", trial.letter);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    text += &numbers(report, screen);
    text += &charts(report, screen);
    text.push('\n');
    for note in Report::legend().into_iter().chain(report.notes.iter().map(String::as_str)) {
        for (at, line) in wrapped(note, screen.width - 2).into_iter().enumerate() {
            let _ = writeln!(text, "{pale}{}{line}{reset}", if at == 0 { "- " } else { "  " });
        }
    }
    // The answer is the last part, which is seen without scrolling.
    if let (Some(comparison), [now, then, ..]) = (&report.comparison, &report.trials[..]) {
        text += &compared(comparison, now, then, screen);
    }
    text
}

/// The table: a row for each limit, or a column if that is too wide for the screen.
fn numbers(report: &Report<'_>, screen: &Screen) -> String {
    let heading = [""].into_iter().chain(HEADINGS).map(str::to_owned).collect();
    let cells = |trial: &Trial| [trial.letter.to_string()].into_iter().chain(trial.cells()).collect();
    let rows: Vec<Vec<String>> = [heading].into_iter().chain(report.trials.iter().map(cells)).collect();
    let table = aligned(&rows);
    if table.lines().all(|line| line.chars().count() <= screen.width) {
        return table;
    }
    let column = |at: usize| rows.iter().filter_map(|row| row.get(at).cloned()).collect();
    aligned(&(0..=HEADINGS.len()).map(column).collect::<Vec<_>>())
}

/// What the blocks mean: on one line if it fits.
fn legend(report: &Report<'_>, screen: &Screen) -> String {
    let Colors { admitted, rest, reset, .. } = screen.colors;
    let unit = report.unit(Resolution::Terminal);
    let gap = if screen.width < 60 { "\n" } else { "  " };
    format!("{unit}:{gap}{admitted}█{reset} admitted{gap}{rest}{SHADE}{reset} offered, but not admitted\n")
}

/// A chart for each limit, with one axis of time below the last one.
fn charts(report: &Report<'_>, screen: &Screen) -> String {
    let Colors { pale, bold, reset, .. } = screen.colors;
    let rows = if report.trials.len() <= 2 { 8 } else { 5 };
    let top = round_up(report.most(Resolution::Terminal));
    let mut text = format!("\n{}", legend(report, screen));
    for trial in &report.trials {
        let _ = writeln!(text, "\n{bold}{}{reset}  {}", trial.letter, trial.limit);
        let bars = bars(report, trial);
        let width = screen_width_of_bar(screen, bars.len());
        for at in (0..rows).rev() {
            let label = match at {
                _ if at + 1 == rows => short(top),
                0 => "0".to_owned(),
                _ => String::new(),
            };
            let line = row(&bars, at, (rows, top), width, screen.colors);
            text += format!("{pale}{label:>6} ┤{reset}{line}").trim_end();
            text.push('\n');
        }
    }
    text + &axis(report, screen)
}

fn bars(report: &Report<'_>, trial: &Trial) -> Vec<Bar> {
    let offered = &report.offered[Resolution::Terminal as usize];
    let admitted = trial.series(Resolution::Terminal).map_or(&[][..], |series| &series.admitted[..]);
    admitted
        .iter()
        .zip(offered)
        .map(|(admitted, offered)| Bar { admitted: *admitted, offered: *offered })
        .collect()
}

/// The characters of one bar.
fn screen_width_of_bar(screen: &Screen, bars: usize) -> usize {
    ((screen.width - MARGIN) / bars.max(1)).max(1)
}

/// Ticks, their labels, and the title of the axis.
fn axis(report: &Report<'_>, screen: &Screen) -> String {
    let Colors { pale, reset, .. } = screen.colors;
    let (grid, origin) = (report.grids[Resolution::Terminal as usize], report.traffic.origin);
    let width = screen_width_of_bar(screen, index(grid.parts));
    let columns = index(grid.parts) * width;
    let step = time::step(grid.length(), count(columns / 9)).max(grid.width);
    let (mut line, mut labels) = (vec!['─'; columns], vec![' '; (columns + 8).min(screen.width - MARGIN)]);
    let mut at = origin.first_tick(step);
    while at < grid.length() {
        let column = index(at / grid.width) * width;
        line[column] = '┬';
        let label = origin.label(at, step);
        if column + label.len() <= labels.len() {
            for (place, letter) in labels[column..].iter_mut().zip(label.chars()) {
                *place = letter;
            }
        }
        at += step;
    }
    let (line, labels): (String, String) = (line.into_iter().collect(), labels.into_iter().collect());
    let margin = " ".repeat(MARGIN - 1);
    format!("{pale}{margin}└{line}\n{margin} {}\n{margin} {}{reset}\n", labels.trim_end(), origin.axis())
}

/// The answer of `--shadow`, and the callers that are hit hardest.
fn compared(comparison: &Comparison, now: &Trial, then: &Trial, screen: &Screen) -> String {
    let Colors { bold, reset, .. } = screen.colors;
    let mut text = String::from("\n");
    for line in wrapped(&comparison.answer(now, then), screen.width) {
        let _ = writeln!(text, "{bold}{line}{reset}");
    }
    if comparison.hardest_hit.is_empty() {
        return text;
    }
    text.push('\n');
    for line in wrapped(&format!("{}:", comparison.heading()), screen.width) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    let heading = Comparison::COLUMNS.map(str::to_owned).to_vec();
    let hits = comparison
        .hardest_hit
        .iter()
        .map(|hit| [printable(&hit.name)].into_iter().chain(hit.cells()).collect());
    text + &aligned(&[heading].into_iter().chain(hits).collect::<Vec<_>>())
}

/// An identity without control characters, which could move the cursor, and of at most 60 characters.
pub(crate) fn printable(name: &str) -> String {
    name.chars().take(60).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}
