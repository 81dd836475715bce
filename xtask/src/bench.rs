//! The parts of `bench`: what decisions cost, beside the crates that do the same, and what the attribute costs at build
//! time.

use crate::compile;
use crate::matrix;
use crate::process::{cargo, run, target};
use crate::servers::{self, Server};
use crate::steps::Steps;
use crate::tools::{self, SERVER_VARIABLE};
use std::process::Command;

/// Those that `ratelimit-benches` measures.
const PARTS: [&str; 5] = ["redis", "cluster", "memory", "attribute", "lua"];
/// Measured here.
const COMPILE: &str = "compile";

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Bench {
    parts: Vec<&'static str>,
    servers: Vec<&'static Server>,
    quick: bool,
    /// Only the lints, which `test` leaves out: the other crates take longer to build than all the rest.
    check: bool,
    /// What scripts are chosen by.
    words: Vec<String>,
}

/// `[PART..] [--quick] [--check] [--servers LIST] [-- WORD..]`.
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
        || format!("unknown part `{name}`, expected some of {}", parts().collect::<Vec<_>>().join(", "));
    parts().find(|part| *part == name).ok_or_else(unknown)
}

pub(crate) fn perform(bench: &Bench) -> Result<(), String> {
    let mut steps = Steps::default();
    if bench.check || bench.measures() {
        tools::ensure_openssl()?;
    }
    if bench.check {
        tools::ensure_component("clippy", "clippy")?;
        return steps.step("lints", || run(&mut lints()));
    }
    if bench.measures() {
        let programs = matrix::find(&mut steps, &bench.servers)?;
        steps.step("build", || run(with_peers("build").arg("--release")))?;
        for (server, program) in bench.servers.iter().zip(programs) {
            let mut command = bench.command();
            command.env(SERVER_VARIABLE, program);
            steps.step(&format!("measure on {}", server.name), || run(&mut command))?;
        }
    }
    if bench.compiles() { steps.step(COMPILE, compile::perform) } else { Ok(()) }
}

impl Bench {
    fn measures(&self) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|part| *part != COMPILE)
    }

    fn compiles(&self) -> bool {
        self.parts.contains(&COMPILE) || self.parts.is_empty() && !self.quick
    }

    /// Results are written down when they are whole, and there is one server that they can be of.
    fn writes(&self) -> bool {
        !self.quick && self.servers.len() == 1 && self.words.is_empty()
    }

    fn command(&self) -> Command {
        let mut command = with_peers("run");
        command.args(["--release", "--"]).args(self.parts.iter().filter(|part| **part != COMPILE));
        let options = [(self.quick, "--quick"), (self.writes(), "--write")];
        command.args(options.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, option)| option));
        command.arg("--").args(&self.words);
        command
    }
}

/// Other flags make other builds of everything, so they have a folder of their own.
fn with_peers(subcommand: &str) -> Command {
    let mut command = cargo(&[subcommand, "--locked", "--package", "ratelimit-benches", "--target-dir"]);
    command.arg(target().join("bench")).env("CARGO_ENCODED_RUSTFLAGS", "--cfg=peers");
    command
}

fn lints() -> Command {
    let mut command = with_peers("clippy");
    command.args(["--all-targets", "--", "-D", "warnings"]);
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
        let ours = arguments.iter().position(|argument| *argument == "--").unwrap();
        arguments[ours..].join(" ")
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
    fn only_whole_results_are_written() {
        assert_eq!(arguments("redis"), "-- redis --write --");
        assert_eq!(arguments("redis --quick"), "-- redis --quick --");
        assert_eq!(arguments("lua -- bucket"), "-- lua -- bucket");
        assert_eq!(arguments("lua --servers redis-8.2,valkey-9.1"), "-- lua --");
    }

    #[test]
    fn an_unknown_part_is_named() {
        let error = parsed("memroy").unwrap_err();
        assert_eq!(
            error,
            "unknown part `memroy`, expected some of redis, cluster, memory, attribute, lua, compile"
        );
    }
}
