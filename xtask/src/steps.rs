//! The steps of `test`, one after another and timed, and the commands that are one of them.

use crate::packaging;
use crate::process::{cargo, run};
use crate::tools::SERVER_VARIABLE;
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// Every check there is, stopping at the first that fails.
pub(crate) fn everything(server: &OsStr) -> Result<(), String> {
    let mut steps = Steps::default();
    steps.step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    steps.step("lints", lints)?;
    steps.step("tests", || tests(server, &[]))?;
    steps.step("documentation", documentation)?;
    steps.step("packaging", packaging::check)?;
    println!("\n{}", steps.summary());
    Ok(())
}

/// The tests whose names match, without the other checks.
pub(crate) fn only_tests(server: &OsStr, filter: &[String]) -> Result<(), String> {
    Steps::default().step("tests", || tests(server, filter))
}

/// The benches, which need a Redis server as the tests do.
pub(crate) fn benches(server: &OsStr, arguments: &[String]) -> Result<(), String> {
    let mut command = cargo(&["bench", "--locked", "--package", "ratelimit-benches"]);
    let run_benches = || run(command.args(arguments).env(SERVER_VARIABLE, server));
    Steps::default().step("benches", run_benches)
}

fn lints() -> Result<(), String> {
    let scope = ["clippy", "--locked", "--workspace", "--all-targets", "--all-features"];
    run(cargo(&scope).args(["--", "-D", "warnings"]))
}

/// Unit, integration, UI and documentation tests; `--all-targets` would leave out the last.
fn tests(server: &OsStr, filter: &[String]) -> Result<(), String> {
    let mut command = cargo(&["test", "--locked", "--workspace", "--all-features", "--no-fail-fast"]);
    run(command.args(filter).env(SERVER_VARIABLE, server))
}

fn documentation() -> Result<(), String> {
    let mut command = cargo(&["doc", "--locked", "--workspace", "--no-deps", "--all-features"]);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// The steps done so far and how long each took.
#[derive(Default)]
struct Steps {
    done: Vec<(&'static str, Duration)>,
}

impl Steps {
    fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        self.done.push((name, took));
        result.map_err(|error| format!("{name} failed after {:.1} s: {error}", took.as_secs_f64()))?;
        println!("{name}: {:.1} s", took.as_secs_f64());
        Ok(())
    }

    fn summary(&self) -> String {
        let total: Duration = self.done.iter().map(|(_, took)| took).sum();
        let rows = self.done.iter().copied().chain([("all passed", total)]);
        let lines: Vec<_> =
            rows.map(|(name, took)| format!("{name:<14}{:>8.1} s", took.as_secs_f64())).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;
    use std::time::Duration;

    #[test]
    fn a_failed_step_is_named_with_its_reason() {
        let error = Steps::default().step("lints", || Err("exit status: 101".to_owned())).unwrap_err();
        assert!(error.starts_with("lints failed after 0.0 s: exit status: 101"), "{error}");
    }

    #[test]
    fn the_summary_has_a_row_per_step_and_the_total() {
        let done = vec![("format", Duration::from_millis(400)), ("tests", Duration::from_secs(61))];
        let expected = "format             0.4 s\ntests             61.0 s\nall passed        61.4 s";
        assert_eq!(Steps { done }.summary(), expected);
    }
}
