//! The outputs of a report: the terminal, JSON and a file.

mod bars;
mod csv;
mod json;
mod terminal;

pub(crate) use csv::Calls;
pub(crate) use json::as_json;
pub(crate) use terminal::{as_text, parts};
