//! Draws a snapshot: a header, the names, the keys, and the help line.

mod tables;

use super::sampler::Snapshot;
use crate::output::{Output, duration, number, safe};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use unicode_width::UnicodeWidthStr as _;

/// The lines for an error.
const ERROR_LINES: u16 = 3;

/// The choices of the user.
#[derive(Debug)]
pub(crate) struct View {
    colors: bool,
    /// Whether the fullest keys come first, instead of the busiest keys.
    fullest_first: bool,
    paused: bool,
    /// The number of keys above the first visible key.
    above: usize,
}

impl View {
    pub(crate) fn new(output: Output) -> Self {
        Self { colors: output.has_colors, fullest_first: false, paused: false, above: 0 }
    }

    pub(crate) const fn is_paused(&self) -> bool {
        self.paused
    }

    /// Handles a key.
    pub(crate) fn pressed(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char('s') => {
                self.fullest_first = !self.fullest_first;
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
    let columns = usize::from(frame.area().width);
    let head_height = if snapshot.trouble().is_some() { 1 + ERROR_LINES } else { 2 };
    let half = frame.area().height.saturating_sub(5) / 2;
    let names = u16::try_from(snapshot.names.len().max(1)).unwrap_or(u16::MAX).min(half.max(1));
    let [head, _, names, _, keys, foot] = Layout::vertical([
        Constraint::Length(head_height),
        Constraint::Length(1),
        Constraint::Length(names + 1),
        Constraint::Length(1),
        Constraint::Min(2),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let lines = head_lines(snapshot, view, columns);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), head);
    tables::draw_names(frame, names, snapshot, view);
    tables::draw_keys(frame, keys, snapshot, view);
    frame.render_widget(Paragraph::new(foot_line(view, columns)), foot);
}

fn head_lines<'t>(snapshot: &Snapshot, view: &View, columns: usize) -> Vec<Line<'t>> {
    let Some(first) = snapshot.servers.first() else {
        return vec![Line::raw("reading the first keys ..")];
    };
    let more = snapshot.servers.len() - 1;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let pass = match snapshot.last_pass {
        Some(time) => format!(", read in {}", duration(time)),
        None => ", first pass".to_owned(),
    };
    let keys = match (snapshot.number_of_keys, snapshot.passes) {
        (0, 1..) => "no key has this prefix".to_owned(),
        (keys, _) => format!("{} keys", number(keys)),
    };
    let servers = format!("{}{more}", safe(first));
    let texts = [format!("prefix {}", safe(&snapshot.prefix)), format!("{keys}{pass}")];
    let rest = fitting(texts, columns.saturating_sub(servers.width() + 2));
    let title = Line::from(vec![Span::styled(servers, view.title()), Span::raw(format!("  {rest}"))]);
    if let Some(trouble) = snapshot.trouble() {
        return vec![title, Line::styled(safe(&trouble), view.style(Color::Red))];
    }
    vec![title, Line::raw(fitting(health(snapshot), columns))]
}

/// The latency and the work of the servers, the most important values first.
fn health(snapshot: &Snapshot) -> Vec<String> {
    let health = &snapshot.health;
    let ms = |time: std::time::Duration| format!("{:.2}", time.as_secs_f64() * 1000.0);
    let mut texts = vec![format!("latency {} ms (max {})", ms(health.latency), ms(health.longest))];
    if let Some(work) = health.work {
        texts.push(format!("{:.0} scripts/s of {:.0} µs", work.scripts_per_second, work.us_per_script));
        texts.push(format!("{:.0} commands/s", work.commands_per_second));
    }
    let mb = |bytes: u64| number(bytes >> 20);
    match (health.used_memory, health.max_memory) {
        (0, _) => {}
        (used, 0) => texts.push(format!("{} MB used", mb(used))),
        (used, max) => texts.push(format!("{} of {} MB used", mb(used), mb(max))),
    }
    texts
}

fn foot_line<'t>(view: &View, columns: usize) -> Line<'t> {
    let order = if view.fullest_first { "fullest first" } else { "busiest first" };
    let paused = view.paused.then(|| "PAUSED".to_owned());
    let pause = if view.paused { "p go on" } else { "p pause" };
    let help = ["q quit", &format!("s order: {order}"), pause, "arrows scroll", "UNITS/S: lower bound"];
    let texts = paused.into_iter().chain(help.map(str::to_owned));
    Line::styled(fitting(texts, columns), Style::new().add_modifier(Modifier::DIM))
}

/// Joins as many texts as fit on a line.
fn fitting(texts: impl IntoIterator<Item = String>, columns: usize) -> String {
    let mut line = String::new();
    for text in texts {
        let gap = if line.is_empty() { "" } else { "  " };
        if !line.is_empty() && line.width() + gap.len() + text.width() > columns {
            break;
        }
        line.push_str(gap);
        line.push_str(&text);
    }
    line
}

#[cfg(test)]
mod tests;
