//! The two tables of `top`: the names, and the keys.

use super::columns::{Column, fit, head};
use super::{Order, View};
use crate::output::{bar, duration, number, safe, short, shortened};
use crate::top::hot::HotKey;
use crate::top::names::NameRow;
use crate::top::sampler::Snapshot;
use crate::usage::Usage;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Row, Table};

/// The minimum width for more distance between columns and for longer bars.
const WIDE: u16 = 120;

pub(super) fn draw_names(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &View) {
    let names = snapshot.names.iter().map(|row| safe(&row.name));
    let columns = [
        Column::names("NAME", names),
        Column::right("KEYS", 9),
        Column::right("UNITS/S", 9),
        Column::right("AT LIMIT", 9),
        Column::left("ALGORITHM", 14),
    ];
    let columns = fitted(columns, area);
    let rows = snapshot.names.iter().map(|row| name_row(row, view, &columns));
    draw(frame, area, rows, &columns, view);
}

fn name_row<'t>(row: &NameRow, view: &View, columns: &[Column; 5]) -> Row<'t> {
    let [name, keys, units, at_limit, algorithm] = columns;
    let refusing = if row.sum.known > 0 { number(row.sum.at_limit) } else { "?".to_owned() };
    let style = if row.sum.at_limit > 0 { view.style(Color::Red) } else { Style::new() };
    Row::new([
        name.cell(shortened(&safe(&row.name), name.width())),
        keys.cell(number(row.sum.keys)),
        units.cell(per_second(row.sum.per_second())),
        at_limit.cell(refusing).style(style),
        algorithm.cell(safe(&row.algorithm)),
    ])
}

pub(super) fn draw_keys(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &mut View) {
    let mut keys: Vec<&HotKey> = snapshot.keys.iter().collect();
    if view.order == Order::FullestFirst {
        keys.sort_by(|a, b| a.by_fullness(b));
    } else {
        keys.sort_by(|a, b| a.by_rate(b));
    }
    let height = usize::from(area.height.saturating_sub(1));
    view.above = view.above.min(keys.len().saturating_sub(height));
    let identities = keys.iter().map(|hot| hot.who.clone());
    let columns = [
        Column::names("IDENTITY", identities),
        Column::names("NAME", keys.iter().map(|hot| safe(hot.key.name()))),
        Column::right("USED", 11),
        Column::right("UNITS/S", 8),
        Column::left("STATE", 17),
        Column::left("", if area.width >= WIDE { 30 } else { 4 }),
    ];
    let columns = fitted(columns, area);
    let rows = keys.iter().skip(view.above).take(height).map(|hot| key_row(hot, view, &columns));
    draw(frame, area, rows, &columns, view);
}

fn key_row<'t>(hot: &HotKey, view: &View, columns: &[Column; 6]) -> Row<'t> {
    let [who, name, used, units, state, bars] = columns;
    let usage = hot.reading.usage;
    let color = if usage.is_at_limit() { Color::Red } else { Color::Green };
    let bar = usage.share().map(|share| bar(share, bars.width().saturating_sub(1))).unwrap_or_default();
    Row::new([
        who.cell(shortened(&hot.who, who.width())),
        name.cell(shortened(&safe(hot.key.name()), name.width())),
        used.cell(in_use(usage)),
        units.cell(per_second(hot.rate)),
        state.cell(state_of(usage)).style(if usage.is_at_limit() { view.style(color) } else { Style::new() }),
        bars.cell(bar).style(view.style(color)),
    ])
}

fn fitted<const N: usize>(mut columns: [Column; N], area: Rect) -> [Column; N] {
    fit(&mut columns, area.width, spacing(area));
    columns
}

const fn spacing(area: Rect) -> u16 {
    if area.width >= WIDE { 2 } else { 1 }
}

fn draw<'t>(
    frame: &mut Frame<'_>,
    area: Rect,
    rows: impl Iterator<Item = Row<'t>>,
    columns: &[Column],
    view: &View,
) {
    let widths = columns.iter().map(Column::constraint);
    let table = Table::new(rows, widths).column_spacing(spacing(area));
    frame.render_widget(table.header(head(columns).style(view.title())), area);
}

fn in_use(usage: Usage) -> String {
    let used = usage.used.map_or_else(|| "?".to_owned(), |used| short(used.into()));
    match usage.known {
        Some(known) => format!("{used}/{}", short(known.limit.capacity().into())),
        None => used,
    }
}

/// The decision about the next call.
fn state_of(usage: Usage) -> String {
    match usage.known {
        None => "?".to_owned(),
        Some(known) if known.allowed && usage.used == Some(0) => "free".to_owned(),
        Some(known) if known.allowed => format!("free in {}", duration(known.reset_after)),
        Some(known) => known
            .retry_after
            .map_or_else(|| "refuses all".to_owned(), |wait| format!("refused {}", duration(wait))),
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
