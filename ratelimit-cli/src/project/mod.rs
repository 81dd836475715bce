//! `cargo ratelimit`: the limits in the sources of a workspace.

mod check;
mod list;
mod named;

use crate::arguments::{self, Global, When};
use crate::exit::Failure;
use crate::manifest::{Manifest, Problem, VERSION, clashes};
use crate::output::Output;
use crate::sources::{self, Scope, Workspace};
use check::Check;
use clap::{Args, Parser, Subcommand};
use list::List;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Lists and checks the rate limits in the sources of a workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo ratelimit", bin_name = "cargo ratelimit", version, after_help = CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Check(Check),
    /// A command of `ratelimit`
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

const CODES: &str = "Exit codes:
  0    done
  1    a source or an attribute has an error, functions with one name have different limits, an override is for no limit, or the
       limits differ from the committed ones
  2    the command line is wrong, there is no workspace, or a file is nested too deeply; nothing was done
  3    the server is unavailable, or refuses the login or a command";

/// The stack of the thread that reads sources. Deeply nested code needs more than the usual.
const STACK: usize = 256 << 20;

/// Options that choose sources.
#[derive(Args, Debug)]
struct Sources {
    /// Only this package; can be repeated
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Also examples, tests, benchmarks, and code under `cfg(test)`
    #[arg(long)]
    all_targets: bool,
    /// The Cargo.toml of the workspace or of one of its packages; otherwise, that of the current folder
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Use colors; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, default_value = "auto", value_name = "WHEN")]
    color: When,
}

impl Sources {
    /// Reads the sources, and finds the limits that clash.
    fn read(&self) -> Result<(Workspace, Manifest), Failure> {
        let workspace = Workspace::find(self.manifest_path.as_deref()).map_err(Failure::usage)?;
        if let Some(unknown) = self.packages.iter().find(|name| !workspace.has(name)) {
            return Err(Failure::usage(format!("the workspace has no package `{unknown}`")));
        }
        let scope = if self.all_targets { Scope::All } else { Scope::Shipped };
        let found = std::thread::scope(|threads| {
            let read = || sources::read(&workspace, &self.packages, scope);
            let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(threads, read)?;
            reader
                .join()
                .map_err(|_| std::io::Error::other("cannot read the sources (a defect; please report it)"))
        })?;
        if let Some(file) = found.too_deep {
            return Err(Failure::usage(format!(
                "{file} is nested too deeply to be parsed; nothing was done"
            )));
        }
        let mut problems = found.problems;
        problems.extend(clashes(&found.entries, &workspace));
        Ok((workspace, Manifest { version: VERSION, limits: found.entries, problems }))
    }

    fn global(&self, json: bool, url: Option<String>, prefix: &str) -> Global {
        Global { url, prefix: prefix.to_owned(), json, color: self.color }
    }
}

/// Runs the command. The first argument is the name of the program. Prints all output, and returns the exit code.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match arguments::parse::<Cli>(arguments) {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    let (output, ran) = match cli.command {
        Command::List(list) => (list.output(), list.run()),
        Command::Check(check) => (check.output(), check.run()),
        Command::Other(arguments) => (Output::plain(), Err(of_the_other_command(&arguments))),
    };
    match ran {
        Ok(exit) => exit.into(),
        Err(failure) => {
            output.error(&failure);
            failure.exit().into()
        }
    }
}

fn of_the_other_command(arguments: &[OsString]) -> Failure {
    let name = arguments.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    if crate::has_command(&name) {
        return Failure::usage(format!(
            "`{name}` is about servers, not about sources: run `ratelimit {name}`"
        ));
    }
    Failure::usage(format!(
        "unknown command `{name}`; expected `list` or `check`, or see `cargo ratelimit --help`"
    ))
}

/// Prints problems to standard error.
fn report(problems: &[Problem], output: Output) {
    for problem in problems {
        output.error(problem);
    }
}
