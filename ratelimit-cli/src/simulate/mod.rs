//! `ratelimit simulate`: limits against traffic, in simulated time.

mod calendar;
mod engine;
mod hash;
mod notes;
mod numbers;
mod options;
mod output;
mod rate;
mod report;
mod shadow;
mod source;
mod time;
mod traffic;
mod work;

pub(crate) use options::{Simulate, Style};

use crate::arguments::{Global, When};
use crate::output::Output;
use std::process::ExitCode;

/// Runs the command, which needs no server.
pub(crate) fn main(mut options: Simulate, global: &Global, output: Output) -> ExitCode {
    let colors = match global.color {
        When::Auto => None,
        When::Always => Some(true),
        When::Never => Some(false),
    };
    options.style = Style { json: global.json, colors };
    work::run(&options, output).unwrap_or_else(|error| {
        output.error(error);
        ExitCode::FAILURE
    })
}
