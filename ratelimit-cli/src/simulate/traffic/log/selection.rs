//! Selects the lines of a log that are calls of the limited function, and the callers of these calls.

use super::identity::{Numbers, normalized};
use super::line::Line;
use clap::ValueEnum;

/// The part of a line that is the identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The client address, as `by = "ip"` counts it: IPv6 by the first 64 bits
    #[default]
    Address,
    /// The user; lines without one are left out
    User,
    /// All calls share one limit
    Global,
}

/// The lines of a log that are calls.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Selection {
    /// Who is limited in a log
    #[arg(long, value_name = "WHO", requires = "log", default_value = "address", value_enum)]
    pub(crate) by: By,
    /// Only lines of the log whose path begins with this
    #[arg(long, value_name = "PREFIX", requires = "log")]
    pub(crate) path: Option<String>,
    /// Only lines of the log with one of these statuses, such as `401,403` or `4xx`: for a limit that counts failures only
    #[arg(long = "status", value_name = "STATUS", requires = "log", value_delimiter = ',', value_parser = status)]
    pub(crate) statuses: Vec<String>,
}

/// Checks a status such as `401`, or a class such as `4xx`.
pub(crate) fn status(text: &str) -> Result<String, String> {
    let is_status = matches!(text.as_bytes(), [b'0'..=b'9', rest @ ..]
        if rest == b"xx" || (rest.len() == 2 && rest.iter().all(u8::is_ascii_digit)));
    is_status
        .then(|| text.to_owned())
        .ok_or_else(|| format!("`{text}` is not a status; expected three digits such as `401`, or `4xx`"))
}

impl Selection {
    /// Whether the request of a line calls the limited function.
    pub(super) fn has_path(&self, line: &Line<'_>) -> bool {
        self.path.as_ref().is_none_or(|path| line.path.starts_with(path.as_bytes()))
    }

    /// Whether the status of a line is selected.
    pub(super) fn has_status(&self, line: &Line<'_>) -> bool {
        let is_it = |wanted: &String| {
            wanted.bytes().zip(line.status).all(|(wanted, digit)| [b'x', digit].contains(&wanted))
        };
        self.statuses.is_empty() || self.statuses.iter().any(is_it)
    }

    /// The conditions for a call as words for titles: ` below /login with status 401,403`.
    pub(super) fn words(&self) -> String {
        let path = self.path.as_ref().map(|path| format!(" below {path}")).unwrap_or_default();
        if self.statuses.is_empty() {
            path
        } else {
            format!("{path} with status {}", self.statuses.join(","))
        }
    }

    /// Checks that no option selects something that a table does not have.
    pub(super) fn check_table(&self) -> Result<(), String> {
        let option = match self {
            Self { path: Some(_), .. } => "--path",
            Self { statuses, .. } if !statuses.is_empty() => "--status",
            _ => return Ok(()),
        };
        Err(format!("it is a table, which has no requests; leave out `{option}`"))
    }

    /// `None` if the line does not name the caller.
    pub(super) fn caller(
        &self,
        address: Option<&[u8]>,
        user: Option<&[u8]>,
        numbers: &mut Numbers,
    ) -> Option<u32> {
        match self.by {
            By::Address => address.map(|address| numbers.number(address, normalized)),
            By::User => user.map(|user| numbers.number(user, <[u8]>::to_vec)),
            By::Global => Some(numbers.number(b"all", <[u8]>::to_vec)),
        }
    }
}
