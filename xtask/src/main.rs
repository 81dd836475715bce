//! The project's own commands: `cargo xtask` lists them.

mod bench;
mod compile;
#[cfg(test)]
mod documents;
mod fuzz;
mod install;
mod matrix;
mod packaging;
mod process;
mod servers;
mod steps;
mod tools;
mod wheels;

use bench::Bench;
use fuzz::Fuzz;
use servers::Server;
use std::env;
use std::process::ExitCode;

const COMMANDS: [(&str, &str); 6] = [
    (
        "test",
        "installs what is missing, then checks everything; `test FILTER..` runs only the tests that match, \
         `test --servers all` those of the stores on every server version",
    ),
    ("soak", "the tests of the stores in long, from a new seed; `--servers` and FILTER as for `test`"),
    ("package", "checks that the two published crates package, with the Lua scripts and the guide inside"),
    (
        "bench",
        "what decisions cost, beside the crates that do the same, and the attribute at build time; `bench PART..` \
         some of it (redis, cluster, memory, attribute, lua, compile), `--quick` less exactly, `--servers` as for `test`, \
         `bench lua -- WORD..` some of our scripts, `bench --check` only the lints of its code",
    ),
    ("completion", "what rust-analyzer, which it installs, completes in half-typed attributes and bodies"),
    (
        "fuzz",
        "arbitrary input for the attribute's own code; `fuzz TARGET -- N` one target, with N executions instead \
         of 10 million",
    ),
];

/// What was asked for on the command line.
#[derive(Debug, PartialEq)]
enum Request {
    Help,
    Test(Vec<String>),
    TestOn(Vec<&'static Server>, Vec<String>),
    Soak(Vec<&'static Server>, Vec<String>),
    Package,
    Bench(Bench),
    Completion,
    Fuzz(Fuzz),
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
    let mut rest: Vec<String> = args.collect();
    match (name.as_str(), rest.first().map(String::as_str)) {
        ("help" | "-h" | "--help", _) => Ok(Request::Help),
        ("test", _) => Ok(match servers::take(&mut rest)? {
            Some(servers) => Request::TestOn(servers, rest),
            None => Request::Test(rest),
        }),
        ("soak", _) => Ok(Request::Soak(servers::take_or_system(&mut rest)?, rest)),
        ("bench", _) => Ok(Request::Bench(bench::parse(rest)?)),
        ("completion", None) => Ok(Request::Completion),
        ("completion", Some(extra)) => Err(format!("`completion` takes no arguments, got `{extra}`")),
        ("fuzz", _) => Ok(Request::Fuzz(fuzz::parse(&rest)?)),
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
        Request::TestOn(servers, filter) => matrix::test(servers, filter),
        Request::Soak(servers, filter) => matrix::soak(servers, filter),
        Request::Package => packaging::check(),
        Request::Completion => {
            tools::ensure_rust_analyzer()?;
            process::run(&mut process::cargo(&["test", "-p", "ratelimit-tests", "--test", "completion"]))
        }
        Request::Fuzz(fuzz) => fuzz::perform(fuzz),
        Request::Bench(bench) => bench::perform(bench),
    }
}

fn help() -> String {
    let lines = COMMANDS.map(|(name, what)| format!("  {name:<13} {what}"));
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
    fn servers_are_no_filter() {
        let on = |line: &str| match parsed(line).unwrap() {
            Request::TestOn(servers, filter) | Request::Soak(servers, filter) => {
                (servers.iter().map(|server| server.name).collect::<Vec<_>>().join(" "), filter.join(" "))
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(on("test --servers redis-8.2 faults"), ("redis-8.2".to_owned(), "faults".to_owned()));
        assert_eq!(on("soak"), ("system".to_owned(), String::new()));
        assert_eq!(on("soak counter --servers valkey-9.1"), ("valkey-9.1".to_owned(), "counter".to_owned()));
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
