//! Checks that no dependency has a known vulnerability, is unmaintained, or was withdrawn. The database is on GitHub.

use super::tools;
use crate::process::{root, run};
use crate::progress::Verdict;
use std::process::Command;

pub(crate) fn check() -> Result<Verdict, String> {
    let program = tools::from_crates_io(tools::DENY)?;
    let command = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).current_dir(root());
        command
    };
    // A missing database is not a finding, so the database is fetched first, in a separate step.
    if let Err(error) = run(&mut command(&["fetch", "db"])) {
        let why = format!(
            "the advisory database cannot be fetched here ({error}); the workflow `release` checks it"
        );
        return Ok(Verdict::Open(why));
    }
    run(&mut command(&["--all-features", "check", "--disable-fetch", "advisories"])).map(|()| Verdict::Passed)
}
