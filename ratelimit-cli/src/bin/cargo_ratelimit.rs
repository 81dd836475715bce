//! The command `cargo ratelimit`. Cargo passes the word `ratelimit` as the first argument.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == "ratelimit") {
        arguments.remove(1);
    }
    ratelimit_cli::main_of_cargo(arguments)
}
