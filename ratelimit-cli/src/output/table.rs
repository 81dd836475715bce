//! Tables with aligned columns.

use super::{Output, Style, shortened};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint};
use unicode_width::UnicodeWidthStr as _;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// A column of names, aligned to the left. Names are shortened if the lines do not fit the terminal.
    Name,
}

/// The minimum width of shortened names.
const LEAST: usize = 12;

/// Rows of cells below a header.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// Creates a table. It has no header if all titles are empty.
    pub(crate) fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        let columns = columns.into_iter().map(|(title, align)| (title.into(), align)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row of plain cells.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled_row(cells.into_iter().map(|cell| (cell, Style::Plain)));
    }

    /// Adds a row of cells with their styles.
    pub(crate) fn styled_row(&mut self, cells: impl IntoIterator<Item = (String, Style)>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The width of the longest line, in columns.
    pub(crate) fn width(&self) -> usize {
        let table = self.build(Output::plain());
        table.lines().map(|line| line.trim_end().width()).max().unwrap_or(0)
    }

    /// The lines of the table.
    pub(crate) fn render(mut self, output: Output) -> String {
        let excess = output.columns.map_or(0, |columns| self.width().saturating_sub(columns));
        let names = self.columns.iter().position(|(_, align)| *align == Align::Name);
        if let (1.., Some(at)) = (excess, names) {
            let width = self.build(output).column_max_content_widths()[at];
            let width = usize::from(width).saturating_sub(excess).max(LEAST);
            for (cell, _) in self.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
                *cell = shortened(cell, width);
            }
        }
        let table = self.build(output);
        table.lines().flat_map(|line| [line.trim_end().to_owned(), "\n".to_owned()]).collect()
    }

    fn build(&self, output: Output) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.style_text_only();
        if output.has_colors {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table.load_style(comfy_table::presets::NOTHING);
        if self.columns.iter().any(|(title, _)| !title.is_empty()) {
            table.set_header(self.columns.iter().map(|(title, _)| cell(title, Style::Dim)));
        }
        table.add_rows(self.rows.iter().map(|row| row.iter().map(|(text, style)| cell(text, *style))));
        for (at, (column, (title, align))) in table.column_iter_mut().zip(&self.columns).enumerate() {
            column.set_padding((0, 2));
            let is_right = *align == Align::Right;
            column.set_cell_alignment(if is_right { CellAlignment::Right } else { CellAlignment::Left });
            if title.is_empty() && self.rows.iter().all(|row| row[at].0.is_empty()) {
                column.set_constraint(ColumnConstraint::Hidden);
            }
        }
        table
    }
}

fn cell(text: &str, style: Style) -> Cell {
    let cell = Cell::new(text);
    match style {
        Style::Plain => cell,
        Style::Bold => cell.add_attribute(Attribute::Bold),
        Style::Dim => cell.add_attribute(Attribute::Dim),
        Style::Good => cell.fg(Color::DarkGreen),
        Style::Warning => cell.fg(Color::DarkYellow),
        Style::Bad => cell.fg(Color::DarkRed).add_attribute(Attribute::Bold),
        Style::Accent => cell.fg(Color::Blue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_the_terminal() {
        for (columns, name) in [
            (Some(80), "checkout::payments::create_intent     7\n"),
            (Some(24), "checkout…te_intent     7\n"),
            (Some(3), "check…intent     7\n"),
            (None, "checkout::payments::create_intent     7\n"),
        ] {
            let mut table = Table::new([("NAME", Align::Name), ("KEYS", Align::Right)]);
            table.row(["checkout::payments::create_intent".to_owned(), "7".to_owned()]);
            let rendered = table.render(Output { columns, ..Output::plain() });
            assert_eq!(rendered.split_once('\n').unwrap().1, name, "{columns:?}");
        }
    }
}
