//! Options that several commands have. This file is below the commands, so that none of them imports the command line.

use crate::exit::Exit;
use clap::{Args, Parser, ValueEnum};
use ratelimit::{Algorithm, Limit, ParseLimitError};
use std::ffi::OsString;
use std::str::FromStr;
use std::time::Duration;

/// Parses a command line. If it is wrong, or asks for help or the version, prints that and returns the exit code.
pub(crate) fn parse<C: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<C, Exit> {
    C::try_parse_from(arguments).map_err(|error| {
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Success }
    })
}

/// Reads a length of time such as `10m` or `1h30m`, from 1 ms to 366 days, in the form of `time` in the text of a limit.
pub(crate) fn length(text: &str) -> Result<Duration, String> {
    if text.contains(char::is_whitespace) {
        return Err(format!("`{text}` has a space; write a length of time as `1h30m`"));
    }
    let limit = format!("counter count=1 time={text}").parse::<Limit>();
    Ok(limit.map_err(|error| error.to_string().replace("`time`", "a length of time"))?.time())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// Options of commands that read limits.
#[derive(Args, Clone, Debug)]
pub(crate) struct Given {
    /// The numbers of a limit that no process has published: "login=counter count=5 time=1m" for the limit `login`, or "counter
    /// count=5 time=1m" for each limit with this algorithm. Can be repeated
    #[arg(long = "limit", value_name = "LIMIT")]
    pub(crate) limits: Vec<GivenLimit>,
}

/// A limit of the command line: for one name, or for each limit with its algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenLimit {
    pub(crate) name: Option<String>,
    pub(crate) limit: Limit,
}

impl FromStr for GivenLimit {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<Self, ParseLimitError> {
        let named = Algorithm::ALL.into_iter().find_map(|algorithm| {
            let at = text.find(&format!("={} ", algorithm.as_str()))?;
            Some((&text[..at], &text[at + 1..]))
        });
        let (name, limit) = named.map_or((None, text), |(name, limit)| (Some(name.trim().to_owned()), limit));
        Ok(Self { name, limit: limit.parse()? })
    }
}

/// Options that name the keys of one limit.
#[derive(Args, Clone, Debug)]
pub(crate) struct Callers {
    /// Who is limited: an address, or a text as `list --identities` shows it. Join the values of a tuple with commas, as in
    /// `203.0.113.7,alice`. `'#0123abcd'` is a hash as hooks, log lines, `list` and `top` show it, or its beginning. `text:..` is
    /// never an address; `secret:..` is hashed, as the value of `by = "header:.."`
    #[arg(long = "for", value_name = "IDENTITY")]
    pub(crate) identities: Vec<String>,
    /// The value of a placeholder in the name; repeat it for each placeholder
    #[arg(long = "part", value_name = "VALUE")]
    pub(crate) parts: Vec<String>,
}
