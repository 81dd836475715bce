//! Access logs: traffic that has really happened, one call for each line.

mod error;
mod identity;
mod line;
mod lines;
mod read;
mod selection;

pub(crate) use read::read;
pub(crate) use selection::{By, Selection};
