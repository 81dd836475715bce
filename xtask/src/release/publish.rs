//! Publishing: cargo uploads the packages in the order of their dependencies, and waits for each.

use super::semver::git;
use crate::packaging::PUBLISHED;
use crate::process::{cargo, run};
use crate::progress::Verdict;
use std::process::Command;

/// Everything but the upload. The packages are built by the check of the packages.
pub(crate) fn dry_run() -> Result<Verdict, String> {
    run(command().args(["--dry-run", "--no-verify", "--allow-dirty"])).map(|()| Verdict::Passed)
}

/// Publishes this commit, which must have the tag of its version.
pub(crate) fn publish() -> Result<(), String> {
    if git(&["tag", "--points-at", "HEAD", "--list", "v[0-9]*"])?.is_empty() {
        return Err("this commit has no tag: `git tag v1.2.3` with its version".to_owned());
    }
    run(&mut command())
}

fn command() -> Command {
    let mut command = cargo(&["publish", "--locked"]);
    command.args(PUBLISHED.map(|name| ["--package", name]).as_flattened());
    command
}
