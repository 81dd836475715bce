//! Draws a snapshot: a head, the names, the keys, and the help line.

use super::hot::HotKey;
use super::names::NameRow;
use super::sampler::Snapshot;
use crate::output::{Output, bar, duration, identity, number, safe, share, short};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Table};
use std::fmt::Write as _;

/// Below this width, the less important columns are hidden.
const NARROW: u16 = 70;

/// What the user has chosen.
#[derive(Debug)]
pub(crate) struct View {
    colors: bool,
    unicode: bool,
    order: Order,
    paused: bool,
    /// The number of keys above the first one that is shown.
    above: usize,
}

/// The order of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    BusiestFirst,
    FullestFirst,
}

impl View {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            colors: output.has_colors(),
            unicode: output.unicode,
            order: Order::BusiestFirst,
            paused: false,
            above: 0,
        }
    }

    pub(crate) const fn is_paused(&self) -> bool {
        self.paused
    }

    /// Acts on a key.
    pub(crate) fn pressed(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char('s') => {
                self.order = match self.order {
                    Order::BusiestFirst => Order::FullestFirst,
                    Order::FullestFirst => Order::BusiestFirst,
                };
                self.above = 0;
            }
            KeyCode::Char('p') => self.paused = !self.paused,
            KeyCode::Down | KeyCode::Char('j') => self.above += 1,
            KeyCode::Up | KeyCode::Char('k') => self.above = self.above.saturating_sub(1),
            KeyCode::PageDown => self.above += 10,
            KeyCode::PageUp => self.above = self.above.saturating_sub(10),
            KeyCode::Home => self.above = 0,
            _ => {}
        }
    }

    fn style(&self, color: Color) -> Style {
        if self.colors { Style::new().fg(color) } else { Style::new() }
    }

    fn title(&self) -> Style {
        self.style(Color::Cyan).add_modifier(Modifier::BOLD)
    }
}

pub(crate) fn draw(frame: &mut Frame<'_>, snapshot: &Snapshot, view: &mut View) {
    let half = frame.area().height.saturating_sub(5) / 2;
    let names = u16::try_from(snapshot.names.len().max(1)).unwrap_or(u16::MAX).min(half.max(1));
    let [head, _, names, _, keys, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Length(names + 1),
        Constraint::Length(1),
        Constraint::Min(2),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(head_lines(snapshot, view)), head);
    draw_names(frame, names, snapshot, view);
    draw_keys(frame, keys, snapshot, view);
    frame.render_widget(Paragraph::new(foot_line(view)), foot);
}

fn head_lines<'t>(snapshot: &Snapshot, view: &View) -> Vec<Line<'t>> {
    let Some(first) = snapshot.servers.first() else {
        return vec![Line::raw("reading the first keys ..")];
    };
    let more = snapshot.servers.len() - 1;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let pass = match (snapshot.passes, snapshot.progress) {
        (0, Some(done)) => format!(", first pass {}", share(done)),
        (0, None) => ", first pass".to_owned(),
        _ => snapshot.last_pass.map(|time| format!(", read in {}", duration(time))).unwrap_or_default(),
    };
    let keys = number(snapshot.number_of_keys);
    let first = safe(first);
    let title = Line::from(vec![
        Span::styled(format!("{first}{more}"), view.title()),
        Span::raw(format!("  prefix {}  {keys} keys{pass}", snapshot.prefix)),
    ]);
    if let Some(error) = &snapshot.error {
        return vec![title, Line::styled(safe(error), view.style(Color::Red))];
    }
    let health = &snapshot.health;
    let ms = |time: std::time::Duration| format!("{:.2}", time.as_secs_f64() * 1000.0);
    let mut text = format!("latency {} ms (max {})", ms(health.latency), ms(health.longest));
    if let Some(work) = health.work {
        let _ = write!(
            text,
            "  scripts {:.0}/s of {:.0} µs  commands {:.0}/s",
            work.scripts_per_second, work.us_per_script, work.commands_per_second
        );
    }
    if health.used_memory > 0 {
        let _ = write!(text, "  memory {} MB", number(health.used_memory >> 20));
    }
    if health.max_memory > 0 {
        let _ = write!(text, " of {} MB", number(health.max_memory >> 20));
    }
    vec![title, Line::raw(text)]
}

fn foot_line<'t>(view: &View) -> Line<'t> {
    let order = if view.order == Order::FullestFirst { "fullest first" } else { "busiest first" };
    let paused = if view.paused { "PAUSED  " } else { "" };
    let text = format!("{paused}q quit  s order: {order}  p pause  arrows scroll  UNITS/S at least");
    Line::styled(text, view.style(Color::DarkGray))
}

fn draw_names(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &View) {
    let narrow = area.width < NARROW;
    let widths = [
        Constraint::Fill(1),
        Constraint::Length(if narrow { 0 } else { 14 }),
        Constraint::Length(if narrow { 8 } else { 11 }),
        Constraint::Length(if narrow { 8 } else { 10 }),
        Constraint::Length(if narrow { 8 } else { 10 }),
    ];
    let head =
        Row::new([left("NAME"), left("ALGORITHM"), right("KEYS"), right("UNITS/S"), right("AT LIMIT")]);
    let rows = snapshot.names.iter().map(|row| name_row(row, view));
    frame.render_widget(Table::new(rows, widths).header(head.style(view.title())), area);
}

fn name_row<'t>(row: &NameRow, view: &View) -> Row<'t> {
    let at_limit = if row.sum.known > 0 { number(row.sum.at_limit) } else { "?".to_owned() };
    let style = if row.sum.at_limit > 0 { view.style(Color::Red) } else { Style::new() };
    Row::new([
        left(safe(&row.name)),
        left(safe(&row.algorithm)),
        right(number(row.sum.keys)),
        right(per_second(row.sum.per_second())),
        right(at_limit).style(style),
    ])
}

fn draw_keys(frame: &mut Frame<'_>, area: Rect, snapshot: &Snapshot, view: &mut View) {
    let mut keys: Vec<&HotKey> = snapshot.keys.iter().collect();
    if view.order == Order::FullestFirst {
        keys.sort_by(|a, b| a.by_fullness(b));
    } else {
        keys.sort_by(|a, b| a.by_rate(b));
    }
    let height = usize::from(area.height.saturating_sub(1));
    view.above = view.above.min(keys.len().saturating_sub(height));
    let (wide, narrow) = (area.width >= 120, area.width < NARROW);
    let bar_width = if wide { 30 } else { u16::from(!narrow) * 8 };
    let widths = [
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Length(bar_width),
        Constraint::Length(if wide { 20 } else { 12 }),
        Constraint::Length(if wide { 12 } else { 8 }),
        Constraint::Length(if wide { 20 } else { u16::from(!narrow) * 14 }),
    ];
    let head = [left("IDENTITY"), left("NAME"), left(""), right("USED"), right("UNITS/S"), right("FREE IN")];
    let rows = keys.iter().skip(view.above).take(height).map(|hot| key_row(hot, snapshot, view, bar_width));
    frame.render_widget(Table::new(rows, widths).header(Row::new(head).style(view.title())), area);
}

fn key_row<'t>(hot: &HotKey, snapshot: &Snapshot, view: &View, bar_width: u16) -> Row<'t> {
    let usage = hot.reading.usage;
    let color = if usage.is_at_limit() { Color::Red } else { Color::Green };
    let bar = usage.share().map(|share| bar(share, bar_width.into(), view.unicode)).unwrap_or_default();
    let used = match (usage.used, usage.known) {
        (Some(used), Some(known)) => {
            format!("{}/{}", short(used.into()), short(known.limit.capacity().into()))
        }
        (Some(used), None) => short(used.into()),
        (None, _) => "?".to_owned(),
    };
    let state = match usage.known {
        Some(known) if !known.allowed => {
            known.retry_after.map_or_else(|| "closed".to_owned(), |wait| format!("full {}", duration(wait)))
        }
        Some(known) => duration(known.reset_after),
        None => String::new(),
    };
    Row::new([
        left(identity(&hot.key, &hot.bytes, snapshot.in_clear)),
        left(safe(hot.key.name())),
        left(bar).style(view.style(color)),
        right(used),
        right(per_second(hot.rate)),
        right(state),
    ])
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

fn left<'t>(text: impl Into<String>) -> Cell<'t> {
    Cell::from(Line::raw(text.into()))
}

fn right<'t>(text: impl Into<String>) -> Cell<'t> {
    Cell::from(Line::raw(text.into()).right_aligned())
}

#[cfg(test)]
mod tests;
