//! The command line of the examples: arguments, output and exit codes.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Returns the arguments after the name of the program.
pub(crate) fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// Prints a text. `print!` would panic if the reader has ended, as in `quickstart | head`.
pub(crate) fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}

/// Reports a wrong command line.
pub(crate) fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}

/// Reports the error, if there is one.
pub(crate) fn exit_code(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
