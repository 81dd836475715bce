//! The `ratelimit` command: inspects and operates the rate limits that `ratelimit-runtime` has in Redis.
//!
//! | module | what it is |
//! |---|---|
//! | `arguments` | the command line: all commands of `ratelimit` |
//! | `options` | options that several commands have |
//! | `exit` | exit codes and failures |
//! | `output` | tables, bars, colors, progress, and text that is safe to show |
//! | `files` | writes a file that is complete or not there |
//! | `interrupt` | stops long work at Ctrl-C |
//! | `session` | the store of the command line, its limiter and servers, and the output |
//! | `caller` | the key that `--for` and `--part` name |
//! | `limits` | the numbers of limits, as far as they are known |
//! | `known` | the limits that exist, and suggestions for a wrong name |
//! | `scan` | reads all keys of the servers in small steps |
//! | `usage` | asks the library for the units of a limit that are in use |
//! | `openapi` | adds the refusals of limited functions to the document of an API |
//! | `project` | `cargo ratelimit`: the limits in sources, which `sources` reads, as a `manifest` |
//! | the others | one command each |

mod arguments;
mod block;
mod caller;
mod doctor;
mod exit;
mod files;
mod interrupt;
mod known;
mod length;
mod limits;
mod list;
mod manifest;
mod openapi;
mod options;
mod output;
mod overrides;
mod peek;
mod plan;
mod project;
mod reset;
mod scan;
mod session;
mod simulate;
mod sources;
mod top;
mod usage;

use arguments::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use exit::{Exit, Failure};
use output::Output;
pub use project::main as main_of_cargo;
use session::Session;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command. The first argument is the name of the program. Prints all output, and returns the exit code. Ends the
/// process if the command line is wrong, or if it asks for help or the version.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(arguments);
    let output = Output::new(cli.global.json, cli.global.color);
    output.finish(run(&cli, output))
}

/// Reads a log as `ratelimit simulate --log` does, and returns the number of its calls. Only the fuzzer calls this function.
///
/// # Errors
///
/// The reason why the log cannot be used.
#[doc(hidden)]
pub fn read_log(log: &[u8]) -> Result<usize, String> {
    simulate::read_log(log)
}

fn run(cli: &Cli, output: Output) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Simulate(simulate) => return simulate::run(simulate, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "ratelimit", &mut script);
            return output::write(&script);
        }
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let exit = runtime.block_on(async {
        let session = Session::open(cli.global.url.as_deref(), &cli.global.prefix, output).await?;
        match &cli.command {
            Command::List(list) => list::run(list, &session).await,
            Command::Peek(peek) => peek::run(peek, &session).await,
            Command::Reset(reset) => reset::run(reset, &session).await,
            Command::Set(set) => overrides::set(set, &session).await,
            Command::Unset(unset) => overrides::unset(unset, &session).await,
            Command::Block(block) => block::block(block, &session).await,
            Command::Unblock(unblock) => block::unblock(unblock, &session).await,
            Command::Overrides => overrides::list(&session).await,
            Command::Plan(plan) => plan::plan(plan, &session).await,
            Command::Apply(apply) => plan::apply(apply, &session).await,
            Command::Drift(drift) => plan::drift(drift, &session).await,
            Command::Top(top) => top::run(top, &session).await,
            Command::Doctor(doctor) => doctor::run(doctor, &session).await,
            Command::Simulate(_) | Command::Completions { .. } => Ok(Exit::Success), // they need no server
        }
    });
    // Threads may still wait for keys of the terminal. The shutdown does not wait for them.
    runtime.shutdown_background();
    exit
}
