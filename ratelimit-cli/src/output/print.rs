//! Standard output, notes on standard error, and the progress of long work.

use super::Output;
use crate::exit::{Exit, Failure};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use serde_json::Value;
use std::fmt;
use std::io::{self, Write as _};

/// Prints text.
pub(crate) fn print(text: impl fmt::Display) -> Result<Exit, Failure> {
    write(text.to_string().as_bytes())
}

/// Prints JSON if `--json` is given, otherwise text.
pub(crate) fn show(output: Output, json: &Value, text: impl fmt::Display) -> Result<Exit, Failure> {
    if output.json { print_json(json) } else { print(text) }
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &Value) -> Result<Exit, Failure> {
    print(format_args!("{value:#}\n"))
}

/// Writes to standard output. If the reader has closed it, that is not an error.
pub(crate) fn write(bytes: &[u8]) -> Result<Exit, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        Ok(()) | Err(_) => Ok(Exit::Success),
    }
}

/// Prints a remark that is not part of the output.
pub(crate) fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Shows the progress of long work by its message: one line on standard error if that is a terminal. The line disappears when
/// the value is dropped.
pub(crate) fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style).with_finish(ProgressFinish::AndClear)
}
