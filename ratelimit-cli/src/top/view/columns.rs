//! The columns of the tables of `top`, fitted to the width of the terminal.

use ratatui::layout::Constraint;
use ratatui::text::Line;
use ratatui::widgets::{Cell, Row};
use unicode_width::UnicodeWidthStr as _;

/// The minimum width of a column of names.
const LEAST: u16 = 12;
/// The step in which columns of names grow, so that they seldom move.
const STEP: u16 = 8;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, which is shortened if it does not fit.
    Name,
    Left,
    Right,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    title: &'static str,
    kind: Kind,
    width: u16,
}

impl Column {
    pub(super) const fn left(title: &'static str, width: u16) -> Self {
        Self { title, kind: Kind::Left, width: width + 1 }
    }

    pub(super) const fn right(title: &'static str, width: u16) -> Self {
        Self { title, kind: Kind::Right, width }
    }

    /// A column that is as wide as the longest of some names.
    pub(super) fn names(title: &'static str, names: impl Iterator<Item = String>) -> Self {
        let longest = names.map(|name| name.width()).max().unwrap_or(0).max(title.width());
        let width = u16::try_from(longest).unwrap_or(u16::MAX - STEP).next_multiple_of(STEP).max(LEAST);
        Self { title, kind: Kind::Name, width }
    }

    pub(super) fn width(&self) -> usize {
        self.width.into()
    }

    pub(super) const fn constraint(&self) -> Constraint {
        Constraint::Length(self.width)
    }

    pub(super) fn cell<'t>(&self, text: String) -> Cell<'t> {
        Cell::from(match self.kind {
            Kind::Name => Line::raw(text),
            // Keeps a distance from the number to the left.
            Kind::Left => Line::raw(format!(" {text}")),
            Kind::Right => Line::raw(text).right_aligned(),
        })
    }
}

/// The heads of all columns.
pub(super) fn head<'t>(columns: &[Column]) -> Row<'t> {
    Row::new(columns.iter().map(|column| column.cell(column.title.to_owned())))
}

/// Makes columns fit: names are shortened first, the longest ones most. Columns that are not shown have the width 0.
pub(super) fn fit(columns: &mut [Column], total: u16, spacing: u16) {
    while missing(columns, total, spacing) > 0 {
        let names = columns.iter_mut().filter(|column| column.kind == Kind::Name && column.width > LEAST);
        if let Some(longest) = names.max_by_key(|column| column.width) {
            longest.width -= 1;
            continue;
        }
        // The last columns are the least important ones, and the first one always remains.
        let Some(last) = columns.iter_mut().skip(1).rev().find(|column| column.width > 0) else { return };
        last.width = 0;
    }
}

fn missing(columns: &[Column], total: u16, spacing: u16) -> u16 {
    let shown = columns.iter().filter(|column| column.width > 0);
    let width = shown.map(|column| column.width + spacing).sum::<u16>().saturating_sub(spacing);
    width.saturating_sub(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_give_way_first_and_then_the_last_columns() {
        let names = |length: usize| Column::names("NAME", ["n".repeat(length)].into_iter());
        for (total, expected) in [
            (80, [40, 24, 9]),
            (70, [35, 24, 9]),
            (50, [20, 19, 9]),
            (35, [12, 12, 9]),
            (30, [12, 12, 0]),
            (3, [12, 0, 0]),
        ] {
            let mut columns = [names(37), names(20), Column::right("KEYS", 9)];
            fit(&mut columns, total, 1);
            assert_eq!(columns.map(|column| column.width), expected, "{total}");
        }
    }
}
