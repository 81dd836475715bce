//! Tables of text, whose columns are as wide as their longest cell.

use std::fmt::Write;

/// Aligns columns. The first one is aligned to the left, the others to the right. The first row is the heading.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a `String` does not fail.
            let _ = if at == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Breaks a text into lines of at most `width` characters. Longer words get a line of their own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows =
            [["", "offered", "admitted"], ["A", "1200", "7"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), "   offered  admitted\nA     1200         7\n");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(
            wrapped("one two  three incomprehensibilities", 9),
            ["one two", "three", "incomprehensibilities"]
        );
    }
}
