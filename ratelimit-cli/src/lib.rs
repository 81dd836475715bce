//! The `ratelimit` command: inspects and operates the rate limits that `ratelimit-runtime` has in Redis.
//!
//! | module | what it is |
//! |---|---|
//! | `arguments` | the command line |
//! | `exit` | exit codes and failures |
//! | `output` | tables, bars, colors, progress, and text that is safe to show |
//! | `interrupt` | stops long work at Ctrl-C |
//! | `server` | the store, its limiter, and the servers |
//! | `caller` | the key that `--for` and `--part` name |
//! | `limits` | the numbers of a limit, as far as they are known |
//! | `known` | which limits exist, and what a wrong name was meant to be |
//! | `scan` | reads all keys of the servers, little by little |
//! | `usage` | asks the library how much of a limit is in use |
//! | `project` | `cargo ratelimit`: the limits in sources, which `sources` reads, as a `manifest` |
//! | the others | one command each |

mod arguments;
mod bench;
mod caller;
mod doctor;
mod exit;
mod interrupt;
mod known;
mod limits;
mod list;
mod manifest;
mod output;
mod overrides;
mod peek;
mod project;
mod reset;
mod scan;
mod server;
mod simulate;
mod sources;
mod top;
mod usage;

use arguments::{Cli, Command};
use clap::CommandFactory as _;
use exit::{Exit, Failure};
use interrupt::Interrupt;
use output::Output;
pub use project::main as main_of_cargo;
use server::Server;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command. The first argument is the name of the program. Prints all output, and returns the exit code.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match arguments::parse::<Cli>(arguments) {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    let output = Output::new(&cli.global);
    if let Command::Simulate(simulate) = cli.command {
        return simulate::main(*simulate, &cli.global, output);
    }
    match run(cli, output) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            output.error(&failure);
            failure.exit().into()
        }
    }
}

/// Whether `ratelimit` has a command of this name.
fn has_command(name: &str) -> bool {
    Cli::command().find_subcommand(name).is_some()
}

fn run(cli: Cli, output: Output) -> Result<Exit, Failure> {
    let (global, command) = (cli.global, cli.command);
    if let Command::Completions { shell } = command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "ratelimit", &mut script);
        return output::write(&script);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let exit = runtime.block_on(async {
        let server = Server::open(&global)?;
        let interrupt = Interrupt::listen();
        match command {
            Command::List(list) => list::run(&list, &server, &interrupt, output).await,
            Command::Peek(peek) => peek::run(&peek, &server, &interrupt, output).await,
            Command::Reset(reset) => reset::run(&reset, &server, &interrupt, output).await,
            Command::Set(set) => overrides::set(&set, &server, &interrupt, output).await,
            Command::Unset(unset) => overrides::unset(&unset, &server, &interrupt, output).await,
            Command::Overrides => overrides::list(&server, output).await,
            Command::Top(top) => top::run(&top, &server, interrupt, output).await,
            Command::Bench(bench) => bench::run(&bench, &global, &interrupt, output).await,
            Command::Doctor(doctor) => doctor::run(&doctor, &global, &server, &interrupt, output).await,
            Command::Simulate(_) | Command::Completions { .. } => Ok(Exit::Success), // they need no server
        }
    });
    // Threads that wait for keys of the terminal do not delay the end.
    runtime.shutdown_background();
    exit
}
