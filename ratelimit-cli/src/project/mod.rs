//! `cargo ratelimit`: the limits in the sources of a workspace.

mod check;
mod clash;
mod list;
mod openapi;
mod sources;

use crate::exit::Failure;
use crate::output::Output;
use check::Check;
use clap::{ColorChoice, Parser, Subcommand};
use list::List;
use openapi::OpenApi;
use std::ffi::OsString;
use std::process::ExitCode;

/// Lists and checks the rate limits in the sources of a workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo ratelimit", bin_name = "cargo ratelimit", version, after_help = CODES, max_term_width = 100)]
struct Cli {
    /// Use colors; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Check(Check),
    #[command(name = "openapi")]
    OpenApi(OpenApi),
    /// A command of `ratelimit`
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

const CODES: &str = "Exit codes:
  0    done
  1    a source or an attribute has an error, functions with one name have different limits, the limits differ from the
       committed ones, or the document of the API lags behind them or cannot be used
  2    the command line is wrong, there is no workspace, or a file is nested too deeply; nothing was done";

/// Runs the command. The first argument is the name of the program. Prints all output, and returns the exit code. Ends the
/// process if the command line is wrong, or if it asks for help or the version.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(arguments);
    let output = Output::new(false, cli.color);
    output.finish(match &cli.command {
        Command::List(list) => list.run(output),
        Command::Check(check) => check.run(output),
        Command::OpenApi(openapi) => openapi.run(output),
        Command::Other(arguments) => Err(of_the_other_command(arguments)),
    })
}

fn of_the_other_command(arguments: &[OsString]) -> Failure {
    let name = arguments.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    if crate::arguments::has_command(&name) {
        return Failure::usage(format!(
            "`{name}` is about servers, not about sources: run `ratelimit {name}`"
        ));
    }
    Failure::usage(format!(
        "unknown command `{name}`; expected `list`, `check` or `openapi`, or see `cargo ratelimit --help`"
    ))
}
