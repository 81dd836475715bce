//! Progress of a command: runs named steps, prints how long each took, and prints a summary.

use std::time::{Duration, Instant};

/// The verdict on a step that did not fail.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Passed,
    /// There was nothing to check, for this reason.
    Nothing(String),
    /// The step has not passed: something could not be checked here, or somebody must still write something.
    Open(String),
}

/// The finished steps of a command, and how long each took.
#[derive(Default)]
pub(crate) struct Progress {
    done: Vec<Step>,
}

struct Step {
    name: String,
    took: Duration,
    /// `None` means that the step has failed.
    verdict: Option<Verdict>,
}

impl Progress {
    /// Runs one step, and prints its name and duration. An error names the step and its duration.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        self.judge(name, || work().map(|()| Verdict::Passed))
    }

    /// Runs one step like [`Progress::step`], but the step can also end with another verdict than `Passed`.
    pub(crate) fn judge(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<Verdict, String>,
    ) -> Result<(), String> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        let (verdict, result) = match result {
            Ok(verdict) => (Some(verdict), Ok(())),
            Err(error) => (None, Err(format!("{name} failed after {:.1} s: {error}", took.as_secs_f64()))),
        };
        self.done.push(Step { name: name.to_owned(), took, verdict });
        result?;
        println!("{name}: {:.1} s", took.as_secs_f64());
        Ok(())
    }

    /// A table with a row for each step, and the total.
    pub(crate) fn summary(&self) -> String {
        let width = self.done.iter().map(|step| step.name.len()).max().unwrap_or_default().max(14);
        let row = |name: &str, took: Duration| format!("{name:<width$}{:>8.1} s", took.as_secs_f64());
        let steps = self.done.iter().map(|step| {
            let mark = match &step.verdict {
                Some(Verdict::Passed) => String::new(),
                Some(Verdict::Nothing(why)) => format!("  nothing to check: {why}"),
                Some(Verdict::Open(why)) => format!("  OPEN: {why}"),
                None => "  failed".to_owned(),
            };
            row(&step.name, step.took) + &mark
        });
        let total = row(&self.verdict(), self.done.iter().map(|step| step.took).sum());
        steps.chain([total]).collect::<Vec<_>>().join("\n")
    }

    /// The number of steps with the verdict `Open`.
    pub(crate) fn open(&self) -> usize {
        self.done.iter().filter(|step| matches!(step.verdict, Some(Verdict::Open(_)))).count()
    }

    fn verdict(&self) -> String {
        let failed = self.done.iter().filter(|step| step.verdict.is_none()).count();
        match (failed, self.open()) {
            (0, 0) => "all passed".to_owned(),
            (0, open) => format!("{open} open"),
            (failed, 0) => format!("{failed} failed"),
            (failed, open) => format!("{failed} failed, {open} open"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Step, Verdict};
    use std::time::Duration;

    fn step(name: &str, ms: u64, verdict: Option<Verdict>) -> Step {
        Step { name: name.to_owned(), took: Duration::from_millis(ms), verdict }
    }

    #[test]
    fn a_failed_step_is_named_with_its_reason() {
        let error = Progress::default().step("lints", || Err("exit status: 101".to_owned())).unwrap_err();
        assert!(error.starts_with("lints failed after 0.0 s: exit status: 101"), "{error}");
    }

    #[test]
    fn the_summary_has_a_row_per_step_and_the_total() {
        let done =
            vec![step("format", 400, Some(Verdict::Passed)), step("tests", 61_000, Some(Verdict::Passed))];
        let expected = "format             0.4 s\ntests             61.0 s\nall passed        61.4 s";
        assert_eq!(Progress { done }.summary(), expected);
    }

    #[test]
    fn the_summary_says_what_failed() {
        let done = vec![step("build", 100, Some(Verdict::Passed)), step("stores on redis-6.2", 2000, None)];
        let expected = "build                   0.1 s\nstores on redis-6.2     2.0 s  failed\n1 failed                2.1 s";
        assert_eq!(Progress { done }.summary(), expected);
    }

    #[test]
    fn what_was_not_checked_does_not_look_passed() {
        let open = Some(Verdict::Open("no database".to_owned()));
        let nothing = Some(Verdict::Nothing("no tag".to_owned()));
        let progress = Progress { done: vec![step("advisories", 0, open), step("semver", 0, nothing)] };
        let summary = progress.summary();
        assert!(summary.contains("advisories         0.0 s  OPEN: no database\n"), "{summary}");
        assert!(summary.contains("semver             0.0 s  nothing to check: no tag\n"), "{summary}");
        assert!(summary.contains("\n1 open "), "{summary}");
    }
}
