//! The project's own commands. `cargo xtask` prints a list of them.

mod bench;
mod checks;
mod compile;
#[cfg(test)]
mod documents;
mod fuzz;
mod install;
mod matrix;
mod packaging;
mod process;
mod progress;
mod servers;
mod tools;
mod wheels;

use bench::Bench;
use fuzz::Fuzz;
use servers::Server;
use std::env;
use std::process::ExitCode;

/// Names and descriptions of the commands, for the help.
const COMMANDS: [(&str, &str); 6] = [
    (
        "test",
        "installs missing tools, then checks format, lints, tests, documentation and packaging; \
         `test NAME` runs only the tests whose name contains NAME; `test --servers all` runs the store tests on each \
         server version",
    ),
    (
        "soak",
        "runs the store tests with a million random operations each, from a new seed; takes `--servers` and NAME",
    ),
    (
        "package",
        "checks that the two published crates build from their packages, which contain the scripts and the guide",
    ),
    (
        "bench",
        "measures what decisions cost, next to other crates, and what the attribute costs at build time; `bench PART..` \
         runs some parts (redis, cluster, memory, attribute, lua, compile); `--quick` is faster and less exact; takes \
         `--servers`; `bench lua -- WORD..` measures the scripts whose name contains a WORD; `bench --check` only lints the \
         code of the benchmarks",
    ),
    (
        "completion",
        "tests what rust-analyzer completes in half-typed attributes and bodies; installs rust-analyzer",
    ),
    (
        "fuzz",
        "runs the attribute's own code on arbitrary input; `fuzz TARGET -- N` runs one target, with N inputs instead of \
         10 million",
    ),
];

/// A parsed command line.
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
            checks::everything(&tools::ensure_redis()?)
        }
        Request::Test(filter) => checks::only_tests(&tools::ensure_redis()?, filter),
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
    let lines = COMMANDS.map(|(name, description)| format!("  {name:<13} {description}"));
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
    fn arguments_after_test_are_its_filter() {
        assert_eq!(parsed("test"), Ok(Request::Test(Vec::new())));
        let filter = ["redis", "--", "--nocapture"].map(String::from).to_vec();
        assert_eq!(parsed("test redis -- --nocapture"), Ok(Request::Test(filter)));
    }

    #[test]
    fn the_servers_option_is_not_part_of_the_filter() {
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
    fn errors_name_the_wrong_argument() {
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
