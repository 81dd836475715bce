//! `LogError`: why a log is no traffic.

use super::line::Broken;
use super::selection::{By, Selection};
use crate::simulate::traffic::MOST_CALLS;
use std::fmt;
use std::io;

/// Why a log is no traffic.
#[derive(Debug)]
pub(crate) enum LogError {
    Io(io::Error),
    Compressed,
    Empty,
    NoReadableLine {
        lines: u64,
        first: (u64, Broken),
    },
    NoReadableRow {
        lines: u64,
        first: (u64, Broken),
    },
    /// `--path` with a table.
    NoPaths,
    NoCaller {
        lines: u64,
    },
    NothingSelected {
        lines: u64,
        selection: Selection,
    },
    TooManyCalls,
    TooLong,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Compressed => {
                f.write_str("it is compressed; write `zcat FILE | ratelimit simulate LIMIT --log -`")
            }
            Self::Empty => f.write_str("it is empty"),
            Self::NoReadableLine { lines, first: (number, broken) } => {
                write!(f, "none of its {lines} lines is in the combined format; line {number}: {broken}")
            }
            Self::NoReadableRow { lines, first: (number, broken) } => {
                write!(f, "none of its {lines} rows can be read; line {number}: {broken}")
            }
            Self::NoPaths => f.write_str("it is a table, which has no paths; leave out `--path`"),
            Self::NoCaller { lines } => write!(f, "none of its {lines} readable rows has a caller"),
            Self::NothingSelected { lines, selection: Selection { by, path } } => {
                write!(f, "none of its {lines} readable lines ")?;
                match path {
                    Some(path) => write!(f, "has a path that begins with `{path}`")?,
                    None => f.write_str("has a user")?,
                }
                if path.is_some() && *by == By::User { f.write_str(" and a user") } else { Ok(()) }
            }
            Self::TooManyCalls => write!(
                f,
                "it has more than {MOST_CALLS} calls; select some of them with `--path`, or simulate a part of the file"
            ),
            Self::TooLong => f.write_str("its times are more than 366 days apart"),
        }
    }
}

impl std::error::Error for LogError {}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
