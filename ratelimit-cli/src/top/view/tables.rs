//! The two tables of `top`: the names, and the keys.

use super::View;
use crate::output::{bar, number, safe, short, shortened};
use crate::top::hot::HotKey;
use crate::top::names::NameRow;
use crate::top::sampler::Snapshot;
use crate::usage::Usage;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Row, Table};
use unicode_width::UnicodeWidthStr as _;

/// The minimum width of the terminal for more distance between columns and for longer bars.
const WIDE: u16 = 120;
/// The minimum width of a column of names, and the step in which the column grows. Because of the step, the column seldom moves.
const LEAST: u16 = 12;
const STEP: u16 = 8;

/// The alignment of a column, and its width.
#[derive(Clone, Copy)]
enum Column {
    /// A column as wide as the longest name. Names are shortened if the columns do not fit.
    Name,
    Left(u16),
    Right(u16),
}

type Cell = (String, Style);

pub(super) fn draw_names(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &View) {
    let columns = [
        ("NAME", Column::Name),
        ("KEYS", Column::Right(9)),
        ("UNITS/S", Column::Right(9)),
        ("AT LIMIT", Column::Right(9)),
        ("ALGORITHM", Column::Left(15)),
    ];
    let rows: Vec<[Cell; 5]> = snapshot.names.iter().map(|row| name_row(row, view)).collect();
    draw(frame, area, columns, &rows, 0, view);
}

fn name_row(row: &NameRow, view: &View) -> [Cell; 5] {
    let refusing = if row.sum.known > 0 { number(row.sum.at_limit) } else { "?".to_owned() };
    let style = if row.sum.at_limit > 0 { view.style(Color::Red) } else { Style::new() };
    [
        (safe(&row.name), Style::new()),
        (number(row.sum.keys), Style::new()),
        (per_second(row.sum.per_second()), Style::new()),
        (refusing, style),
        (safe(&row.algorithm), Style::new()),
    ]
}

pub(super) fn draw_keys(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &mut View) {
    let mut keys: Vec<&HotKey> = snapshot.keys.iter().collect();
    if view.fullest_first {
        keys.sort_by(|a, b| a.by_fullness(b));
    } else {
        keys.sort_by(|a, b| a.by_rate(b));
    }
    view.above = view.above.min(keys.len().saturating_sub(area.height.saturating_sub(1).into()));
    let bars = if area.width >= WIDE { 30 } else { 4 };
    let columns = [
        ("IDENTITY", Column::Name),
        ("NAME", Column::Name),
        ("USED", Column::Right(11)),
        ("UNITS/S", Column::Right(8)),
        ("STATE", Column::Left(22)),
        ("", Column::Left(bars + 1)),
    ];
    let rows: Vec<[Cell; 6]> = keys.iter().map(|hot| key_row(hot, view, bars.into())).collect();
    draw(frame, area, columns, &rows, view.above, view);
}

fn key_row(hot: &HotKey, view: &View, bars: usize) -> [Cell; 6] {
    let usage = hot.reading.usage;
    let color = if usage.is_at_limit() { Color::Red } else { Color::Green };
    let bar = usage.share().map(|share| bar(share, bars)).unwrap_or_default();
    let state = usage.known.map_or_else(|| "?".to_owned(), |known| known.words());
    [
        (hot.who.clone(), Style::new()),
        (safe(hot.key.name()), Style::new()),
        (in_use(usage), Style::new()),
        (per_second(hot.rate), Style::new()),
        (state, if usage.is_at_limit() { view.style(color) } else { Style::new() }),
        (bar, view.style(color)),
    ]
}

/// Draws the rows after the first `above` rows, as many as fit.
fn draw<const N: usize>(
    frame: &mut Frame<'_>,
    area: Rect,
    columns: [(&str, Column); N],
    rows: &[[Cell; N]],
    above: usize,
    view: &View,
) {
    let spacing = if area.width >= WIDE { 2 } else { 1 };
    let longest = |at: usize| {
        let longest = rows.iter().map(|row| row[at].0.width()).max().unwrap_or(0);
        u16::try_from(longest).unwrap_or(u16::MAX - STEP).next_multiple_of(STEP).max(LEAST)
    };
    let wanted: [u16; N] = std::array::from_fn(|at| match columns[at].1 {
        Column::Name => longest(at),
        Column::Left(width) | Column::Right(width) => width,
    });
    let total: usize = wanted.iter().map(|width| usize::from(width + spacing)).sum();
    let fits = total <= usize::from(area.width) + usize::from(spacing);
    let constraints: [Constraint; N] = std::array::from_fn(|at| match columns[at].1 {
        Column::Name if !fits => Constraint::Min(LEAST),
        _ => Constraint::Length(wanted[at]),
    });
    let widths = Layout::horizontal(constraints).spacing(spacing).areas::<N>(area).map(|area| area.width);
    let line = |at: usize, text: &str| match columns[at].1 {
        Column::Name => Line::raw(shortened(text, widths[at].into())),
        // Adds a space, to keep a distance from the number on the left.
        Column::Left(_) => Line::raw(format!(" {text}")),
        Column::Right(_) => Line::raw(text.to_owned()).right_aligned(),
    };
    let head = Row::new(columns.iter().enumerate().map(|(at, (title, _))| line(at, title)));
    let shown = rows.iter().skip(above).take(area.height.into());
    let rows = shown
        .map(|row| Row::new(row.iter().enumerate().map(|(at, (text, style))| line(at, text).style(*style))));
    let table = Table::new(rows, widths).column_spacing(spacing);
    frame.render_widget(table.header(head.style(view.title())), area);
}

fn in_use(usage: Usage) -> String {
    let used = usage.used.map_or_else(|| "?".to_owned(), |used| short(used.into()));
    match usage.known {
        Some(known) => format!("{used}/{}", short(known.limit.capacity().into())),
        None => used,
    }
}

fn per_second(rate: Option<f64>) -> String {
    match rate {
        None => "?".to_owned(),
        Some(rate) if rate < 0.05 => "0".to_owned(),
        Some(rate) if rate < 10.0 => format!("{rate:.1}"),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is not negative")]
        Some(rate) => number(rate.round() as u64),
    }
}
