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

/// With all features, and the runtime as it comes.
fn lints() -> Result<(), String> {
    let scope = ["clippy", "--locked", "--workspace", "--all-targets", "--all-features"];
    run(cargo(&scope).args(["--", "-D", "warnings"]))?;
    run(cargo(&["clippy", "--locked", "-p", "ratelimit-runtime"]).args(["--", "-D", "warnings"]))
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
pub(crate) struct Steps {
    done: Vec<Step>,
}

struct Step {
    name: String,
    took: Duration,
    passed: bool,
}

impl Steps {
    /// Does one step; its error has the step's name in front.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        self.done.push(Step { name: name.to_owned(), took, passed: result.is_ok() });
        result.map_err(|error| format!("{name} failed after {:.1} s: {error}", took.as_secs_f64()))?;
        println!("{name}: {:.1} s", took.as_secs_f64());
        Ok(())
    }

    /// A row per step, and the total.
    pub(crate) fn summary(&self) -> String {
        let failed = self.done.iter().filter(|step| !step.passed).count();
        let last = if failed == 0 { "all passed".to_owned() } else { format!("{failed} failed") };
        let width = self.done.iter().map(|step| step.name.len()).max().unwrap_or_default().max(14);
        let row = |name: &str, took: Duration| format!("{name:<width$}{:>8.1} s", took.as_secs_f64());
        let steps = self.done.iter().map(|step| {
            let end = if step.passed { "" } else { "  failed" };
            row(&step.name, step.took) + end
        });
        let total = row(&last, self.done.iter().map(|step| step.took).sum());
        steps.chain([total]).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, Steps};
    use std::time::Duration;

    fn step(name: &str, ms: u64, passed: bool) -> Step {
        Step { name: name.to_owned(), took: Duration::from_millis(ms), passed }
    }

    #[test]
    fn a_failed_step_is_named_with_its_reason() {
        let error = Steps::default().step("lints", || Err("exit status: 101".to_owned())).unwrap_err();
        assert!(error.starts_with("lints failed after 0.0 s: exit status: 101"), "{error}");
    }

    #[test]
    fn the_summary_has_a_row_per_step_and_the_total() {
        let done = vec![step("format", 400, true), step("tests", 61_000, true)];
        let expected = "format             0.4 s\ntests             61.0 s\nall passed        61.4 s";
        assert_eq!(Steps { done }.summary(), expected);
    }

    #[test]
    fn the_summary_says_what_failed() {
        let done = vec![step("build", 100, true), step("stores on redis-6.2", 2000, false)];
        let expected = "build                   0.1 s\nstores on redis-6.2     2.0 s  failed\n1 failed                2.1 s";
        assert_eq!(Steps { done }.summary(), expected);
    }
}
