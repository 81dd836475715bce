//! Tables with aligned columns.

use super::{Output, Style, shortened};
use unicode_width::UnicodeWidthStr as _;

/// How a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// A column of names, aligned to the left. Names are shortened if the lines do not fit the terminal.
    Name,
}

/// The minimum width of shortened names.
const LEAST: usize = 12;
/// The distance of two columns.
const GAP: usize = 2;

/// Rows of cells, of which the first one is the head.
#[derive(Debug)]
pub(crate) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// Creates a table. It has no head if all titles are empty.
    pub(crate) fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        let titled = |(title, align): (T, Align)| ((title.into(), Style::Dim), align);
        let (head, aligns): (Vec<_>, Vec<_>) = columns.into_iter().map(titled).unzip();
        let has_head = head.iter().any(|(title, _)| !title.is_empty());
        Self { aligns, rows: has_head.then_some(head).into_iter().collect() }
    }

    /// Adds a row of plain cells.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled_row(cells.into_iter().map(|cell| (cell, Style::Plain)));
    }

    /// Adds a row of cells with their looks.
    pub(crate) fn styled_row(&mut self, cells: impl IntoIterator<Item = (String, Style)>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The width of each column.
    fn widths(&self) -> Vec<usize> {
        let width = |at: usize| self.rows.iter().map(|row| row[at].0.width()).max().unwrap_or(0);
        (0..self.aligns.len()).map(width).collect()
    }

    /// The width of the longest line, in columns.
    pub(crate) fn width(&self) -> usize {
        let widths = self.widths().into_iter().filter(|width| *width > 0);
        widths.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// The lines of the table.
    pub(crate) fn render(mut self, output: Output) -> String {
        let excess = output.columns.map_or(0, |columns| self.width().saturating_sub(columns));
        let names = self.aligns.iter().position(|align| *align == Align::Name);
        if let (1.., Some(at)) = (excess, names) {
            let width = self.widths()[at].saturating_sub(excess).max(LEAST);
            for row in &mut self.rows {
                row[at].0 = shortened(&row[at].0, width);
            }
        }
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            let cells = row.iter().zip(self.aligns.iter().zip(&widths));
            // A column without any text takes no place.
            for ((cell, style), (align, width)) in cells.filter(|(_, (_, width))| **width > 0) {
                let space = " ".repeat(width - cell.width());
                let cell = output.paint(cell, *style);
                line += &if *align == Align::Right { space + &cell } else { cell + &space };
                line += &" ".repeat(GAP);
            }
            text = text + line.trim_end() + "\n";
        }
        text
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
