//! Selection: which lines of a log are calls of the limited function, and by whom.

use super::identity::{Numbers, normalized};
use super::line::Line;
use clap::ValueEnum;

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
}

impl Selection {
    /// Whether the request of a line calls the limited function.
    pub(super) fn has_path(&self, line: &Line<'_>) -> bool {
        self.path.as_ref().is_none_or(|path| line.path.starts_with(path.as_bytes()))
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
