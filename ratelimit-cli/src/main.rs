//! The command `ratelimit`: tools around limits for the command line.

mod simulate;

use clap::Parser;
use std::process::ExitCode;

/// Tools for rate limits
#[derive(Debug, Parser)]
#[command(name = "ratelimit", version)]
enum Command {
    Simulate(simulate::Simulate),
}

fn main() -> ExitCode {
    let Command::Simulate(options) = Command::parse();
    simulate::run(&options).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
