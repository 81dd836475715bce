//! Tables with aligned columns.

use super::{Output, Style, shortened};
use unicode_width::UnicodeWidthStr as _;

/// Whether the cells of a column are at its left or at its right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a head.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row of plain cells.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into_iter().map(|cell| (cell, Style::Plain)).collect());
    }

    /// Adds a row of cells with their looks.
    pub(crate) fn styled_row<const N: usize>(&mut self, cells: [(String, Style); N]) {
        self.cells(cells.into());
    }

    /// Adds a row of as many cells as the table has columns.
    pub(crate) fn cells(&mut self, cells: Vec<(String, Style)>) {
        self.rows.push(cells);
    }

    /// The columns that the longest line may take.
    pub(crate) fn width(&self) -> usize {
        let widths = (0..self.columns.len()).map(|at| self.column_width(at));
        widths.sum::<usize>() + 2 * self.columns.len().saturating_sub(1)
    }

    /// Shortens the cells of a column with names, so that the lines fit the terminal. At least 12 columns of them remain.
    pub(crate) fn fit(&mut self, at: usize, output: Output) {
        const LEAST: usize = 12;
        let Some(columns) = output.columns else { return };
        let excess = self.width().saturating_sub(columns);
        if excess == 0 {
            return;
        }
        let width = self.column_width(at).saturating_sub(excess).max(LEAST);
        for (cell, _) in self.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            *cell = shortened(cell, width, output.unicode);
        }
    }

    fn column_width(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|(cell, _)| cell.width());
        cells.chain([self.columns[at].0.width()]).max().unwrap_or(0)
    }

    /// The lines of the table. The last column is not filled up.
    pub(crate) fn render(&self, output: Output) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| self.column_width(at)).collect();
        let head: Vec<(String, Style)> =
            self.columns.iter().map(|(title, _)| ((*title).to_owned(), Style::Dim)).collect();
        let mut text = String::new();
        for row in std::iter::once(&head).chain(&self.rows) {
            let mut line = String::new();
            for (at, (cell, style)) in row.iter().enumerate() {
                let gap = " ".repeat(widths[at].saturating_sub(cell.width()));
                let painted = output.paint(cell, *style);
                let separator = if at == 0 { "" } else { "  " };
                line.push_str(separator);
                match self.columns[at].1 {
                    Align::Right => line.push_str(&(gap + &painted)),
                    Align::Left => line.push_str(&(painted + &gap)),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_the_terminal() {
        let table = || {
            let mut table = Table::new(&[("NAME", Align::Left), ("KEYS", Align::Right)]);
            table.row(["checkout::payments::create_intent".to_owned(), "7".to_owned()]);
            table
        };
        for (columns, name) in [
            (Some(80), "checkout::payments::create_intent     7\n"),
            (Some(24), "checkout..e_intent     7\n"),
            (Some(3), "check..ntent     7\n"),
            (None, "checkout::payments::create_intent     7\n"),
        ] {
            let output = Output { columns, ..Output::plain() };
            let mut table = table();
            table.fit(0, output);
            let rendered = table.render(output);
            assert_eq!(rendered.split_once('\n').unwrap().1, name, "{columns:?}");
        }
    }
}
