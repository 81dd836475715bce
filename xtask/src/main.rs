//! The project's own commands: `cargo xtask` lists them.

mod install;
mod packaging;
mod process;
mod steps;
mod tools;

use std::env;
use std::process::ExitCode;

const COMMANDS: [(&str, &str); 3] = [
    (
        "test",
        "installs what is missing, then checks everything; `test FILTER..` runs only the tests that match",
    ),
    ("package", "checks that the two published crates package, with the Lua scripts inside"),
    ("bench", "runs the benches against a private Redis; further arguments go to `cargo bench`"),
];

/// What was asked for on the command line.
#[derive(Debug, PartialEq)]
enum Request {
    Help,
    Test(Vec<String>),
    Package,
    Bench(Vec<String>),
}

fn main() -> ExitCode {
    let request = match parse(env::args().skip(1)) {
        Ok(request) => request,
        Err(error) => {
            eprintln!("xtask: {error}\n\n{}", help());
            return ExitCode::from(2);
        }
    };
    match perform(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let Some(name) = args.next() else {
        return Ok(Request::Help);
    };
    let rest: Vec<String> = args.collect();
    match (name.as_str(), rest.first()) {
        ("help" | "-h" | "--help", _) => Ok(Request::Help),
        ("test", _) => Ok(Request::Test(rest)),
        ("bench", _) => Ok(Request::Bench(rest)),
        ("package", None) => Ok(Request::Package),
        ("package", Some(extra)) => Err(format!("`package` takes no arguments, got `{extra}`")),
        _ => Err(format!("unknown command `{name}`")),
    }
}

fn perform(request: &Request) -> Result<(), String> {
    match request {
        Request::Help => {
            println!("{}", help());
            Ok(())
        }
        Request::Test(filter) if filter.is_empty() => {
            tools::ensure_component("rustfmt", "fmt")?;
            tools::ensure_component("clippy", "clippy")?;
            steps::everything(&tools::ensure_redis()?)
        }
        Request::Test(filter) => steps::only_tests(&tools::ensure_redis()?, filter),
        Request::Package => packaging::check(),
        Request::Bench(arguments) => steps::benches(&tools::ensure_redis()?, arguments),
    }
}

fn help() -> String {
    let lines = COMMANDS.map(|(name, what)| format!("  {name:<8} {what}"));
    format!("cargo xtask COMMAND\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, Request, help, parse};

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn no_command_means_help() {
        assert_eq!(parsed(""), Ok(Request::Help));
        assert_eq!(parsed("help"), Ok(Request::Help));
    }

    #[test]
    fn what_follows_test_is_its_filter() {
        assert_eq!(parsed("test"), Ok(Request::Test(Vec::new())));
        let filter = ["redis", "--", "--nocapture"].map(String::from).to_vec();
        assert_eq!(parsed("test redis -- --nocapture"), Ok(Request::Test(filter)));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parsed("tset"), Err("unknown command `tset`".to_owned()));
        assert_eq!(parsed("package now"), Err("`package` takes no arguments, got `now`".to_owned()));
    }

    #[test]
    fn help_has_one_line_per_command_and_each_one_parses() {
        assert_eq!(help().lines().count(), COMMANDS.len() + 1);
        for (name, _) in COMMANDS {
            assert!(parsed(name).is_ok_and(|request| request != Request::Help), "{name}");
        }
    }
}
