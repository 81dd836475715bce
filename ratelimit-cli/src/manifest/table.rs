//! The manifest as a table for a terminal.

use super::Entry;
use crate::output::{Align, Output, Style, Table, safe};

/// The text of a cell if the attribute leaves the failure policy to the limiter.
const OF_THE_LIMITER: &str = "limiter's";

/// One row for each limit. If the terminal is too narrow, a few lines for each limit.
pub(crate) fn table(entries: &[Entry], output: Output) -> String {
    let table = columns(entries);
    if output.columns.is_some_and(|columns| table.width() > columns) {
        return entries.iter().map(|entry| lines(entry, output)).collect();
    }
    table.render(output)
}

/// Builds the table. It has a column of packages only if there are several packages.
fn columns(entries: &[Entry]) -> Table {
    let several = entries.iter().any(|entry| entry.package != entries[0].package);
    let mut titles = vec!["NAME", "LIMIT", "BY", "ON ERROR"];
    titles.extend(several.then_some("PACKAGE"));
    titles.push("PLACE");
    let columns: Vec<_> = titles.into_iter().map(|title| (title, Align::Left)).collect();
    let mut table = Table::new(columns);
    for entry in entries {
        let mut cells = vec![
            (safe(&entry.name), Style::Bold),
            (safe(&(entry.limit() + entry.shadow_note())), Style::Plain),
            (safe(&entry.caller()), Style::Plain),
            match entry.on_error() {
                Some(policy) => (policy, Style::Plain),
                None => (OF_THE_LIMITER.to_owned(), Style::Dim),
            },
        ];
        cells.extend(several.then(|| (safe(&entry.package), Style::Plain)));
        cells.push((safe(&entry.place()), Style::Dim));
        table.styled_row(cells);
    }
    table
}

fn lines(entry: &Entry, output: Output) -> String {
    let limit = format!("{}{} by {}", safe(&entry.limit()), entry.shadow_note(), safe(&entry.caller()));
    let limit = output.wrap(&limit, 2);
    let on_error = entry.on_error().map(|policy| format!("on error {policy}"));
    let place = [safe(&entry.place())].into_iter().chain(on_error).collect::<Vec<_>>().join(", ");
    let place = output.paint(output.wrap(&place, 2), Style::Dim);
    format!("{}\n  {limit}\n  {place}\n", output.paint(safe(&entry.name), Style::Bold))
}
