//! The manifest as a Markdown table.

use super::Entry;

/// One row for each limit.
pub(crate) fn markdown(entries: &[Entry]) -> String {
    let mut text =
        "| name | limit | by | on error | function | place |\n|---|---|---|---|---|---|\n".to_owned();
    for entry in entries {
        let on_error = entry.on_error().unwrap_or_else(|| "limiter's".to_owned());
        let cells = [
            code(&entry.name),
            code(&entry.limit()) + entry.shadow_note(),
            code(&entry.caller()),
            on_error,
            code(&entry.function),
            entry.place(),
        ];
        text.extend(["| ", &cells.join(" | "), " |\n"]);
    }
    text
}

/// A text as code in a cell: a vertical bar would end the cell, and a backtick the code.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
