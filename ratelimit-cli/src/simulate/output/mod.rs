//! Outputs of a report: the terminal, and files.

mod bars;
mod calls;
mod canvas;
mod csv;
mod files;
mod html;
mod json;
mod panel;
mod plot;
mod png;
mod scene;
mod svg;
mod table;
pub(crate) mod terminal;

pub(crate) use calls::Calls;
pub(crate) use canvas::Canvas;
pub(crate) use csv::csv;
pub(crate) use files::{Files, check_paths};
pub(crate) use html::html;
pub(crate) use json::json;
pub(crate) use plot::{Layout, plot};
pub(crate) use png::png;
pub(crate) use svg::{Colors, svg};
