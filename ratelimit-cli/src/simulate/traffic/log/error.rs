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
    /// `--path` or `--status` with a table.
    NotInTables(&'static str),
    NoCaller {
        lines: u64,
    },
    NothingSelected {
        lines: u64,
        selection: Selection,
    },
    TooManyCalls,
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
            Self::NotInTables(option) => {
                write!(f, "it is a table, which has no requests; leave out `{option}`")
            }
            Self::NoCaller { lines } => write!(f, "none of its {lines} readable rows has a caller"),
            Self::NothingSelected { lines, selection } => {
                let path = selection.path.iter().map(|path| format!("a path that begins with `{path}`"));
                let status = selection.statuses.iter().map(|status| format!("the status {status}"));
                let status: Vec<String> = status.collect();
                let status = (!status.is_empty()).then(|| status.join(" or "));
                let user = (selection.by == By::User).then(|| "a user".to_owned());
                let wanted: Vec<String> = path.chain(status).chain(user).collect();
                write!(f, "none of its {lines} readable lines has {}", wanted.join(" and "))
            }
            Self::TooManyCalls => write!(
                f,
                "it has more than {MOST_CALLS} calls; select some of them with `--path`, or simulate a part of the file"
            ),
        }
    }
}

impl std::error::Error for LogError {}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
