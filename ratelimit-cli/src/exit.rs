//! Exit codes, and failures with their messages.

use ratelimit::{Error, ErrorKind};
use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// The command has done everything.
    Success = 0,
    /// The command ran and found a problem, or nothing to change.
    Found = 1,
    /// The command line is wrong. Nothing was done.
    Usage = 2,
    /// The server is unavailable, refuses the login or a command, or has another role.
    Server = 3,
    /// Stopped by Ctrl-C or `SIGTERM`. The output is marked as partial.
    Interrupted = 130,
}

/// The description of the exit codes in `--help`.
pub(crate) const CODES: &str = "Exit codes:
  0    done
  1    nothing has this name or prefix, or there was nothing to change;
       or a problem was found, such as a key of another program
  2    the command line is wrong; nothing was done
  3    the server is unavailable, or refuses the login or a command
  130  interrupted; the output is partial";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The reason why a command could not do its work. The message contains no password.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    /// Whether the server may be available again later.
    is_transient: bool,
}

impl Failure {
    /// The command line is wrong.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The server is unavailable, or does not perform a command.
    pub(crate) fn server(message: impl fmt::Display) -> Self {
        Self::new(Exit::Server, message)
    }

    /// The server does not reply.
    pub(crate) fn silent(message: impl fmt::Display) -> Self {
        Self { is_transient: true, ..Self::server(message) }
    }

    /// Ctrl-C came before the command had an effect.
    pub(crate) fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted: nothing was done")
    }

    /// Adds a consequence to the message.
    pub(crate) fn and(self, consequence: &str) -> Self {
        Self { message: format!("{self}; {consequence}"), ..self }
    }

    /// The command found a problem, or nothing to change.
    pub(crate) fn found(message: impl fmt::Display) -> Self {
        Self::new(Exit::Found, message)
    }

    fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string(), is_transient: false }
    }

    pub(crate) const fn is_transient(&self) -> bool {
        self.is_transient
    }

    pub(crate) const fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Limit | ErrorKind::NoIdentity => Self::usage(error),
            _ => Self { is_transient: error.is_transient(), ..Self::server(error) },
        }
    }
}

/// An error of the terminal or of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::found(error)
    }
}
