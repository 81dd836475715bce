//! Logs: traffic that has really happened, as an access log with one call for each line, or as a table of calls.

mod error;
mod identity;
mod line;
mod lines;
mod read;
mod selection;
mod table;
mod years;

pub(crate) use read::read;
pub(crate) use selection::{By, Selection, Status};
