//! The project's own commands. `cargo xtask` prints a list of them.

#[cfg(test)]
mod architecture;
mod bench;
mod book;
mod checks;
#[cfg(test)]
mod claims;
mod compile;
mod coverage;
#[cfg(test)]
mod documents;
mod features;
mod fuzz;
#[cfg(test)]
mod index;
mod install;
mod lua54;
mod matrix;
mod measured;
mod mutants;
#[cfg(test)]
mod numbers;
mod packaging;
mod process;
mod progress;
mod release;
mod servers;
mod tools;
mod wheels;

use bench::Bench;
use fuzz::Fuzz;
use release::Release;
use servers::Server;
use std::env;
use std::process::ExitCode;

/// The usage of the commands, and what they do.
const USAGE: [(&str, &str); 28] = [
    ("test", "installs missing tools, then checks format, lints, tests, documentation and packaging"),
    ("test NAME", "runs only the tests whose name contains NAME"),
    ("test --portable", "runs the tests that need no server and no Unix, and says which it leaves out"),
    (
        "test --servers all",
        "runs the store tests on each server version; also takes names, such as redis-8.2,system",
    ),
    ("soak", "runs the store tests with a million random operations each; takes NAME and `--servers`"),
    (
        "doctor URL",
        "checks a running server that the tests cannot start: `ratelimit doctor`, then the quickstart",
    ),
    ("package", "checks that the published crates build from their packages, and the documentation"),
    ("features", "checks that each feature and each pair of features builds, and which Rust each needs"),
    ("release --check", "checks everything that a release needs, in one table; installs missing tools"),
    (
        "release --check W..",
        "runs the checks whose name contains a word; `--strict` accepts nothing that is open",
    ),
    ("release --publish", "publishes this commit, which must have the tag of its version"),
    (
        "bench",
        "measures what decisions cost, next to other crates, and writes benches/README.md; takes `--servers`",
    ),
    (
        "bench PART..",
        "measures some parts: redis, cluster, regions, memory, attribute, metrics, http, lua, compile",
    ),
    ("bench --quick", "measures fewer and shorter rounds, and only prints the results"),
    ("bench lua -- WORD..", "measures only those of our scripts whose name contains a WORD"),
    ("bench --check", "lints the code of the benchmarks, and tests the guide to migration with limitador"),
    (
        "book",
        "builds the guide as a book in target/book, with the playground, and checks its links; installs mdBook",
    ),
    ("book --serve", "then serves it on localhost:3000, and shows it again after each `cargo xtask book`"),
    ("completion", "tests what rust-analyzer completes in half-typed attributes; installs rust-analyzer"),
    (
        "fuzz",
        "runs all readers of text and the memory store on arbitrary input, 10 million inputs for each target",
    ),
    (
        "models",
        "checks the protocols of the limiter as models, in all states, with larger bounds than the tests",
    ),
    (
        "mutants PART..",
        "changes the code of all parts or some, and looks whether a test notices (cargo-mutants)",
    ),
    ("coverage PART..", "says which lines the tests of all parts or some execute (cargo-llvm-cov)"),
    ("fleet --seeds N", "simulates N fleets, each from one seed, on all cores; 10 000 if no number is given"),
    ("fleet --seed S", "repeats one seed and prints its log"),
    ("fleet --planted", "hunts all planted bugs, with up to 1000 seeds each; `--planted WORD` some of them"),
    (
        "fleet --mutants N",
        "hunts N random mutations of the scripts and the client; `--from S` draws others, `--help` lists all options",
    ),
    ("fuzz TARGET -- N", "runs one target, such as `url`, with N inputs"),
];

/// A parsed command line.
#[derive(Debug, PartialEq)]
enum Request {
    Help,
    Test(Vec<String>),
    TestPortable,
    TestOn(Vec<&'static Server>, Vec<String>),
    Soak(Vec<&'static Server>, Vec<String>),
    Doctor(String),
    Package,
    Features,
    Bench(Bench),
    Book { serve: bool },
    Completion,
    Fleet(Vec<String>),
    Models,
    Mutants(Vec<String>),
    Coverage(Vec<String>),
    Fuzz(Fuzz),
    Release(Release),
}

fn main() -> ExitCode {
    if let Some(code) = release::rustdoc::stand_in() {
        return code;
    }
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
        ("test", Some("--portable")) if rest.len() == 1 => Ok(Request::TestPortable),
        ("test", _) => Ok(match servers::take(&mut rest)? {
            Some(servers) => Request::TestOn(servers, rest),
            None => Request::Test(rest),
        }),
        ("soak", _) => Ok(Request::Soak(servers::take_or_system(&mut rest)?, rest)),
        ("bench", _) => Ok(Request::Bench(bench::parse(rest)?)),
        ("book", None) => Ok(Request::Book { serve: false }),
        ("book", Some("--serve")) if rest.len() == 1 => Ok(Request::Book { serve: true }),
        ("book", Some(extra)) => Err(format!("`book` takes only `--serve`, got `{extra}`")),
        ("completion", None) => Ok(Request::Completion),
        ("fleet", None) => Ok(Request::Fleet(["--seeds", "10000"].map(String::from).to_vec())),
        ("fleet", _) => Ok(Request::Fleet(rest)),
        ("models", None) => Ok(Request::Models),
        ("mutants", _) => Ok(Request::Mutants(rest)),
        ("coverage", _) => Ok(Request::Coverage(rest)),
        ("fuzz", _) => Ok(Request::Fuzz(fuzz::parse(&rest)?)),
        ("release", _) => Ok(Request::Release(release::parse(rest)?)),
        ("doctor", Some(url)) if rest.len() == 1 => Ok(Request::Doctor(url.to_owned())),
        ("doctor", _) => Err("`doctor` takes the URL of a server".to_owned()),
        ("features", None) => Ok(Request::Features),
        ("package", None) => Ok(Request::Package),
        ("completion" | "models" | "features" | "package", Some(extra)) => {
            Err(format!("`{name}` takes no arguments, got `{extra}`"))
        }
        _ => Err(format!("unknown command `{name}`")),
    }
}

fn perform(request: &Request) -> Result<(), String> {
    match request {
        Request::Help => {
            println!("{}", help());
            Ok(())
        }
        Request::Test(filter) => {
            if filter.is_empty() {
                tools::ensure_component("rustfmt", "fmt")?;
                tools::ensure_component("clippy", "clippy")?;
            }
            tools::ensure_nginx()?;
            tools::ensure_prometheus()?;
            tools::ensure_urllib3()?;
            let server = tools::ensure_redis()?;
            if filter.is_empty() { checks::everything(&server) } else { checks::only_tests(&server, filter) }
        }
        Request::TestPortable => checks::portable(),
        Request::TestOn(servers, filter) => matrix::test(servers, filter),
        Request::Soak(servers, filter) => matrix::soak(servers, filter),
        Request::Doctor(url) => checks::doctor(url),
        Request::Package => packaging::check(),
        Request::Features => features::check(),
        Request::Completion => {
            tools::ensure_rust_analyzer()?;
            process::run(&mut process::cargo(&["test", "-p", "ratelimit-tests", "--test", "completion"]))
        }
        Request::Fleet(options) => {
            let mut command = process::cargo(&["run", "--release", "--package", "ratelimit-fleet", "--"]);
            process::run(command.args(options))
        }
        Request::Models => {
            process::run(&mut process::cargo(&["run", "--release", "--package", "ratelimit-models"]))
        }
        Request::Mutants(parts) => mutants::perform(parts),
        Request::Coverage(parts) => coverage::perform(parts),
        Request::Fuzz(fuzz) => fuzz::perform(fuzz),
        Request::Release(release) => release::perform(release),
        Request::Bench(bench) => bench::perform(bench),
        Request::Book { serve } => book::perform(*serve),
    }
}

fn help() -> String {
    let lines = USAGE.map(|(usage, description)| format!("  {usage:<21}{description}"));
    format!("usage: cargo xtask COMMAND\n\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{Request, USAGE, parse};

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
    fn every_command_of_the_help_parses() {
        let is_known =
            |words: &[&str]| parsed(&words.join(" ")).is_ok_and(|request| request != Request::Help);
        for (usage, _) in USAGE {
            let words: Vec<_> = usage.split_whitespace().collect();
            assert!(is_known(&words[..1]) || is_known(&words[..words.len().min(2)]), "{usage}");
        }
    }
}
