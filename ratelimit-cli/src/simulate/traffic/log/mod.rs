//! Logs: recorded traffic, as an access log with one call for each line, or as a table of calls.

mod identity;
mod line;
mod notes;
mod read;
mod selection;
mod table;

pub(crate) use read::{open, read};
pub(crate) use selection::Selection;
