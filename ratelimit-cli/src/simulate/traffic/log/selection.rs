//! Selection: which lines of a log are calls of the limited function, and by whom.

use super::identity::{Numbers, normalized};
use super::line::Line;
use clap::ValueEnum;
use std::fmt;
use std::str::FromStr;

/// The identity of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The client address, as `by = "ip"` counts it: IPv6 by the first 64 bits
    #[default]
    Address,
    /// The user; lines without one are left out
    User,
    /// Nobody: all calls share one limit
    Global,
}

/// The lines of a log that are calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) by: By,
    /// The start of the path.
    pub(crate) path: Option<String>,
    /// A line is a call if it has one of these statuses. An empty list selects all lines.
    pub(crate) statuses: Vec<Status>,
}

/// A status such as `401`, or a class such as `4xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status([u8; 3]);

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_status = |bytes: &[u8; 3]| {
            bytes[0].is_ascii_digit() && (bytes[1..].iter().all(u8::is_ascii_digit) || bytes[1..] == *b"xx")
        };
        let status = text.as_bytes().try_into().ok().filter(is_status).map(Self);
        status
            .ok_or_else(|| format!("`{text}` is not a status; expected three digits such as `401`, or `4xx`"))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

impl Status {
    fn matches(self, status: [u8; 3]) -> bool {
        self.0.iter().zip(status).all(|(wanted, digit)| *wanted == b'x' || *wanted == digit)
    }
}

impl Selection {
    /// Whether the request of a line calls the limited function.
    pub(super) fn has_path(&self, line: &Line<'_>) -> bool {
        self.path.as_ref().is_none_or(|path| line.path.starts_with(path.as_bytes()))
    }

    /// Whether the status of a line is one that is asked for.
    pub(super) fn has_status(&self, line: &Line<'_>) -> bool {
        self.statuses.is_empty() || self.statuses.iter().any(|status| status.matches(line.status))
    }

    /// What a line or a row needs to be a call, in words: ` below /login with status 401,403`.
    pub(super) fn words(&self) -> String {
        let path = self.path.as_ref().map(|path| format!(" below {path}")).unwrap_or_default();
        let statuses: Vec<String> = self.statuses.iter().map(ToString::to_string).collect();
        if statuses.is_empty() { path } else { format!("{path} with status {}", statuses.join(",")) }
    }

    /// The number of the caller of a row. `None` if the row does not say who calls.
    pub(super) fn caller_of_row(&self, caller: &[u8], numbers: &mut Numbers) -> Option<u32> {
        match self.by {
            By::Global => Some(numbers.number(b"all", <[u8]>::to_vec)),
            _ if caller.is_empty() => None,
            By::Address => Some(numbers.number(caller, normalized)),
            By::User => Some(numbers.number(caller, <[u8]>::to_vec)),
        }
    }

    /// The number of the caller. `None` if the line does not say who calls.
    pub(super) fn caller(&self, line: &Line<'_>, numbers: &mut Numbers) -> Option<u32> {
        match self.by {
            By::Address => Some(numbers.number(line.address, normalized)),
            By::User => line.user.map(|user| numbers.number(user, <[u8]>::to_vec)),
            By::Global => Some(numbers.number(b"all", <[u8]>::to_vec)),
        }
    }
}
