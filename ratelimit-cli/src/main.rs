//! The command `ratelimit`: tools around limits for the command line.

mod simulate;

use clap::{Parser, Subcommand, ValueEnum};
use simulate::Style;
use std::process::ExitCode;

/// Tools for rate limits
#[derive(Debug, Parser)]
#[command(name = "ratelimit", version, max_term_width = 100)]
struct Cli {
    /// Write JSON
    #[arg(long, global = true)]
    json: bool,
    /// Use colors; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN")]
    color: When,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(simulate::Simulate),
}

fn main() -> ExitCode {
    let Cli { json, color, command: Command::Simulate(mut options) } = Cli::parse();
    let colors = match color {
        When::Auto => None,
        When::Always => Some(true),
        When::Never => Some(false),
    };
    options.style = Style { json, colors };
    simulate::run(&options).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
