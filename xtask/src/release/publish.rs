//! Publishing: cargo uploads the packages in the order of their dependencies, and waits for each.

use super::semver::git;
use crate::packaging::PUBLISHED;
use crate::process::{cargo, run, succeeds};
use crate::progress::Verdict;
use std::process::Command;

/// Does everything except the upload. The check of the packages builds them, so they are not built here.
pub(crate) fn dry_run() -> Result<Verdict, String> {
    run(command(&PUBLISHED).args(["--dry-run", "--no-verify", "--allow-dirty"])).map(|()| Verdict::Passed)
}

/// Publishes this commit, which must have the tag of its version. Leaves out the crates that an earlier attempt has published.
pub(crate) fn publish() -> Result<(), String> {
    let tag = git(&["tag", "--points-at", "HEAD", "--list", "v[0-9]*"])?;
    let Some(version) = tag.strip_prefix('v') else {
        return Err("this commit has no tag: `git tag v1.2.3` with its version".to_owned());
    };
    let is_published = |name: &&str| {
        succeeds(&mut cargo(&["info", "--registry", "crates-io", &format!("{name}@{version}")]))
    };
    let missing: Vec<_> = PUBLISHED.into_iter().filter(|name| !is_published(name)).collect();
    if missing.is_empty() {
        Err(format!("all crates are published in version {version}"))
    } else {
        run(&mut command(&missing))
    }
}

fn command(packages: &[&str]) -> Command {
    let mut command = cargo(&["publish", "--locked"]);
    for name in packages {
        command.args(["--package", name]);
    }
    command
}
