//! The command `bench`: runs the benchmarks of `benches/`, and measures the build time that the attribute costs.

use crate::compile;
use crate::matrix;
use crate::process::{cargo, run, target};
use crate::progress::Progress;
use crate::servers::{self, Server};
use crate::tools::{self, SERVER_VARIABLE};
use std::process::Command;

/// The parts that the program `ratelimit-benches` measures.
const PARTS: [&str; 8] = ["redis", "cluster", "regions", "memory", "attribute", "metrics", "http", "lua"];
/// The part that xtask measures itself (`compile/`).
const COMPILE: &str = "compile";

/// The parsed arguments of `bench`.
#[derive(Debug, PartialEq)]
pub(crate) struct Bench {
    parts: Vec<&'static str>,
    servers: Vec<&'static Server>,
    quick: bool,
    /// Whether to lint the code only. The command `test` does not lint the benchmarks, because the crates to compare with take
    /// very long to build.
    check: bool,
    /// Words that select the scripts to measure.
    words: Vec<String>,
}

/// Parses `[PART..] [--quick] [--check] [--servers LIST] [-- WORD..]`.
pub(crate) fn parse(mut arguments: Vec<String>) -> Result<Bench, String> {
    let servers = servers::take_or_system(&mut arguments)?;
    let mut bench = Bench { parts: Vec::new(), servers, quick: false, check: false, words: Vec::new() };
    if let Some(at) = arguments.iter().position(|argument| argument == "--") {
        bench.words = arguments.split_off(at).split_off(1);
    }
    for argument in arguments {
        match argument.as_str() {
            "--quick" => bench.quick = true,
            "--check" => bench.check = true,
            name => bench.parts.push(part(name)?),
        }
    }
    Ok(bench)
}

fn part(name: &str) -> Result<&'static str, String> {
    let parts = || PARTS.into_iter().chain([COMPILE]);
    let unknown =
        || format!("unknown part `{name}`, expected one of {}", parts().collect::<Vec<_>>().join(", "));
    parts().find(|part| *part == name).ok_or_else(unknown)
}

pub(crate) fn perform(bench: &Bench) -> Result<(), String> {
    let mut progress = Progress::default();
    if bench.check || bench.measures() {
        tools::ensure_openssl()?;
    }
    if bench.check {
        tools::ensure_component("clippy", "clippy")?;
        progress.step("lints", || run(&mut lints()))?;
        return progress.step("the migration from limitador", || {
            run(&mut with_peers("test", "ratelimit-migration-tests"))
        });
    }
    if bench.includes("http") {
        tools::ensure_wrk()?;
    }
    if bench.includes("memory") {
        tools::ensure_valgrind()?;
    }
    if bench.measures() {
        let programs = matrix::find(&mut progress, &bench.servers)?;
        progress.step("build", || run(with_peers("build", "ratelimit-benches").arg("--release")))?;
        for (server, program) in bench.servers.iter().zip(programs) {
            let mut command = bench.command();
            command.env(SERVER_VARIABLE, program);
            progress.step(&format!("measure on {}", server.name), || run(&mut command))?;
        }
    }
    if bench.compiles() { progress.step(COMPILE, compile::perform) } else { Ok(()) }
}

impl Bench {
    fn measures(&self) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|part| *part != COMPILE)
    }

    fn includes(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }

    fn compiles(&self) -> bool {
        self.parts.contains(&COMPILE) || self.parts.is_empty() && !self.quick
    }

    /// Whether to write the results into `benches/README.md`. It is true only for full results of a single server.
    fn writes(&self) -> bool {
        !self.quick && self.servers.len() == 1 && self.words.is_empty()
    }

    fn command(&self) -> Command {
        let mut command = with_peers("run", "ratelimit-benches");
        command.args(["--release", "--"]).args(self.parts.iter().filter(|part| **part != COMPILE));
        let options = [(self.quick, "--quick"), (self.writes(), "--write")];
        command.args(options.into_iter().filter(|(is_set, _)| *is_set).map(|(_, option)| option));
        command.arg("--").args(&self.words);
        command
    }
}

/// A cargo command that builds a package together with the crates to compare with. These builds have their own target folder. In
/// the usual target folder, they would rebuild everything, because their compiler flags differ.
fn with_peers(subcommand: &str, package: &str) -> Command {
    let mut command = cargo(&[subcommand, "--locked", "--package", package, "--target-dir"]);
    command.arg(target().join("bench")).env("CARGO_ENCODED_RUSTFLAGS", "--cfg=peers");
    command
}

fn lints() -> Command {
    let mut command = with_peers("clippy", "ratelimit-benches");
    command.args(["--package", "ratelimit-migration-tests", "--all-targets", "--", "-D", "warnings"]);
    command
}

#[cfg(test)]
mod tests {
    use super::{Bench, parse};
    use crate::servers::SERVERS;

    fn parsed(line: &str) -> Result<Bench, String> {
        parse(line.split_whitespace().map(String::from).collect())
    }

    fn arguments(line: &str) -> String {
        let command = parsed(line).unwrap().command();
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_str().unwrap()).collect();
        let separator = arguments.iter().position(|argument| *argument == "--").unwrap();
        arguments[separator..].join(" ")
    }

    #[test]
    fn no_part_means_all() {
        let all = parsed("").unwrap();
        assert!(all.measures() && all.compiles());
        assert_eq!(arguments(""), "-- --write --");
        let quick = parsed("--quick").unwrap();
        assert!(quick.measures() && !quick.compiles());
    }

    #[test]
    fn parts_can_be_chosen() {
        let bench = parsed("lua memory --servers redis-8.2 -- bucket --quick").unwrap();
        assert_eq!(
            (bench.parts.as_slice(), bench.servers.as_slice()),
            (&["lua", "memory"][..], &[&SERVERS[3]][..])
        );
        assert!(bench.measures() && !bench.compiles() && !bench.quick);
        assert!(!parsed("compile").unwrap().measures());
    }

    #[test]
    fn only_full_results_are_written() {
        assert_eq!(arguments("redis"), "-- redis --write --");
        assert_eq!(arguments("redis --quick"), "-- redis --quick --");
        assert_eq!(arguments("lua -- bucket"), "-- lua -- bucket");
        assert_eq!(arguments("lua --servers redis-8.2,valkey-9.1"), "-- lua --");
    }

    #[test]
    fn an_error_names_the_unknown_part() {
        let error = parsed("memroy").unwrap_err();
        assert_eq!(
            error,
            "unknown part `memroy`, expected one of redis, cluster, regions, memory, attribute, metrics, http, lua, compile"
        );
    }
}
