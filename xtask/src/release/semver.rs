//! Checks that the public API has no breaking change that the version does not announce. Compares the API with the last version
//! that has a tag.

use super::tools;
use crate::process::{output, root, run, succeeds};
use crate::progress::Verdict;
use std::process::Command;

/// The crates whose items users name, with the names of their libraries. `ratelimit-limit` has types that the runtime exports
/// again, which the tool does not follow.
pub(crate) const PUBLIC: [(&str, &str); 2] =
    [("ratelimit-runtime", "ratelimit"), ("ratelimit-limit", "ratelimit_limit")];

pub(crate) fn check() -> Result<Verdict, String> {
    if git(&["rev-parse", "--is-shallow-repository"])? == "true" {
        return Ok(Verdict::Open(
            "a shallow clone has no tags: run `git fetch --unshallow --tags`".to_owned(),
        ));
    }
    // The commit of a release may already have its own tag.
    let describe = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
    if !succeeds(Command::new("git").args(describe).current_dir(root())) {
        return Ok(Verdict::Nothing("no version has a tag, so nobody depends on this API yet".to_owned()));
    }
    let baseline = git(&describe)?;
    println!("baseline: {baseline}");
    let mut command = Command::new(tools::from_crates_io(tools::SEMVER_CHECKS)?);
    command.args(["semver-checks", "--all-features", "--baseline-rev", &baseline]).current_dir(root());
    run(command.args(PUBLIC.map(|(name, _)| ["--package", name]).as_flattened())).map(|()| Verdict::Passed)
}

/// The output of git, without the end of its line.
pub(crate) fn git(args: &[&str]) -> Result<String, String> {
    output(Command::new("git").args(args).current_dir(root())).map(|text| text.trim().to_owned())
}
