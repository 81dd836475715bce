//! The manifest as a table for a terminal.

use super::Entry;
use crate::output::{Align, Output, Style, Table, safe};

/// One row for each limit. The columns of packages and overrides appear if they say something.
pub(crate) fn table(entries: &[Entry], output: Output) -> String {
    let several = entries.iter().any(|entry| entry.package != entries[0].package);
    let overridden = entries.iter().any(|entry| entry.overridden.is_some());
    let mut columns =
        vec![("NAME", Align::Left), ("LIMIT", Align::Left), ("BY", Align::Left), ("ON ERROR", Align::Left)];
    columns.extend(overridden.then_some(("OVERRIDE", Align::Left)));
    columns.extend(several.then_some(("PACKAGE", Align::Left)));
    columns.push(("PLACE", Align::Left));
    let mut table = Table::new(&columns);
    for entry in entries {
        let on_error = entry.on_error.as_ref().map_or_else(|| "limiter's".to_owned(), ToString::to_string);
        let on_error_style = if entry.on_error.is_some() { Style::Plain } else { Style::Dim };
        let mut cells = vec![
            (safe(&entry.name), Style::Bold),
            (safe(&entry.limit()), Style::Plain),
            (safe(&entry.caller()), Style::Plain),
            (on_error, on_error_style),
        ];
        if overridden {
            let change = entry.overridden.as_deref().map(safe).unwrap_or_default();
            cells.push((change, Style::Warning));
        }
        cells.extend(several.then(|| (safe(&entry.package), Style::Plain)));
        cells.push((safe(&entry.place()), Style::Dim));
        table.cells(cells);
    }
    table.render(output)
}
