//! The outputs of a report: the terminal, JSON and files.

mod bars;
mod csv;
mod json;
mod plot;
mod terminal;

pub(crate) use csv::Calls;
pub(crate) use json::as_json;
pub(crate) use plot::plot;
pub(crate) use terminal::{as_text, parts};
