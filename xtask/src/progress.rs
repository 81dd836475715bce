//! Progress of a command: runs named steps, prints how long each took, and prints a summary.

use std::time::{Duration, Instant};

/// The finished steps of a command, and how long each took.
#[derive(Default)]
pub(crate) struct Progress {
    done: Vec<Step>,
}

struct Step {
    name: String,
    took: Duration,
    passed: bool,
}

impl Progress {
    /// Runs one step, and prints its name and duration. An error names the step and its duration.
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

    /// A table with a row for each step, and the total.
    pub(crate) fn summary(&self) -> String {
        let failed = self.done.iter().filter(|step| !step.passed).count();
        let verdict = if failed == 0 { "all passed".to_owned() } else { format!("{failed} failed") };
        let width = self.done.iter().map(|step| step.name.len()).max().unwrap_or_default().max(14);
        let row = |name: &str, took: Duration| format!("{name:<width$}{:>8.1} s", took.as_secs_f64());
        let steps = self.done.iter().map(|step| {
            let mark = if step.passed { "" } else { "  failed" };
            row(&step.name, step.took) + mark
        });
        let total = row(&verdict, self.done.iter().map(|step| step.took).sum());
        steps.chain([total]).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Step};
    use std::time::Duration;

    fn step(name: &str, ms: u64, passed: bool) -> Step {
        Step { name: name.to_owned(), took: Duration::from_millis(ms), passed }
    }

    #[test]
    fn a_failed_step_is_named_with_its_reason() {
        let error = Progress::default().step("lints", || Err("exit status: 101".to_owned())).unwrap_err();
        assert!(error.starts_with("lints failed after 0.0 s: exit status: 101"), "{error}");
    }

    #[test]
    fn the_summary_has_a_row_per_step_and_the_total() {
        let done = vec![step("format", 400, true), step("tests", 61_000, true)];
        let expected = "format             0.4 s\ntests             61.0 s\nall passed        61.4 s";
        assert_eq!(Progress { done }.summary(), expected);
    }

    #[test]
    fn the_summary_says_what_failed() {
        let done = vec![step("build", 100, true), step("stores on redis-6.2", 2000, false)];
        let expected = "build                   0.1 s\nstores on redis-6.2     2.0 s  failed\n1 failed                2.1 s";
        assert_eq!(Progress { done }.summary(), expected);
    }
}
