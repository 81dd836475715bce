//! The `ratelimit` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ratelimit_cli::main(std::env::args_os())
}
