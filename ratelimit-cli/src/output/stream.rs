//! Writes to standard output and standard error.

use crate::exit::{Exit, Failure};
use serde_json::Value;
use std::fmt;
use std::io::{self, Write as _};

/// Prints text.
pub(crate) fn print(text: impl fmt::Display) -> Result<Exit, Failure> {
    write(text.to_string().as_bytes())
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &Value) -> Result<Exit, Failure> {
    print(format_args!("{value:#}\n"))
}

/// Prints a value as one line of JSON.
pub(crate) fn print_json_line(value: &Value) -> Result<Exit, Failure> {
    print(format_args!("{value}\n"))
}

/// Writes to standard output. A reader that has seen enough is no failure.
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
