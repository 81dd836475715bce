//! Writes tables as Markdown with aligned columns, which are also readable as plain text.

use super::series::Series;
use super::table::Table;
use std::fmt::Write as _;

/// Returns the table, and below it the table of its goals.
pub(crate) fn table(table: &Table) -> String {
    let mut lines = vec![header(&table.columns)];
    lines.extend(table.rows.iter().map(|row| {
        let name = if row.is_ours { format!("**{}**", row.subject) } else { row.subject.clone() };
        [name].into_iter().chain(row.figures.iter().map(Series::to_string)).collect()
    }));
    let mut text = format!("### {}\n\n{}", table.title, aligned(&lines));
    if !table.goals.is_empty() {
        let columns = ["found", "goal", ""].map(str::to_owned);
        let mut lines = vec![header(&columns)];
        lines.extend(table.goals.iter().map(|goal| {
            let [found, wanted] = goal.words();
            let reached = if goal.is_reached() { "reached" } else { "**missed**" };
            vec![goal.what.clone(), found, wanted, reached.to_owned()]
        }));
        let _ = write!(text, "\n{}", aligned(&lines));
    }
    text
}

fn header(columns: &[String]) -> Vec<String> {
    [String::new()].into_iter().chain(columns.iter().cloned()).collect()
}

/// Aligns the first column to the left, and the others to the right. The first line is the header.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let length = |cell: &String| cell.chars().count();
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(length).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default().max(3)).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column == 0 {
                write!(text, "| {cell:<width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
        if at == 0 {
            for (column, width) in widths.iter().enumerate() {
                let end = if column == 0 { '-' } else { ':' };
                let _ = write!(text, "|{}{end}", "-".repeat(width + 1));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::report::{Bound, Row, Table};

    #[test]
    fn columns_are_aligned() {
        let mut found = Table::new("100 callers", &["per second"]);
        for (subject, figure) in [("ours", 20.0), ("of others", 5000.0)] {
            let mut row = Row::new(subject, subject == "ours", 1);
            row.push(&[figure]);
            found.rows.push(row);
        }
        found.goal("ours", "of others", 0, Bound::AtLeast(2.0));
        let expected = "\
### 100 callers

|           | per second |
|-----------|-----------:|
| **ours**  |       20.0 |
| of others |       5000 |

|                                    |  found |     goal |            |
|------------------------------------|-------:|---------:|-----------:|
| ours, beside of others: per second | 0.00 × | ≥ 2.00 × | **missed** |
";
        assert_eq!(table(&found), expected);
    }
}
