//! Checks licences, sources and duplicates of the dependencies, by the rules in `deny.toml`, and finds dependencies that no code
//! uses.

use super::tools;
use crate::process::{root, run};
use crate::progress::Verdict;
use std::path::Path;
use std::process::Command;

pub(crate) fn licences() -> Result<Verdict, String> {
    let mut command = Command::new(tools::from_crates_io(tools::DENY)?);
    command
        .args(["--all-features", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])
        .current_dir(root());
    run(&mut command).map(|()| Verdict::Passed)
}

pub(crate) fn unused() -> Result<Verdict, String> {
    find_unused(&tools::from_crates_io(tools::MACHETE)?)
}

/// Does not install the program.
pub(crate) fn unused_if_installed() -> Result<Verdict, String> {
    match tools::installed(tools::MACHETE.0) {
        Some(program) => find_unused(&program),
        None => Ok(Verdict::Open(
            "`cargo xtask release --check unused` compiles its program, which takes minutes".to_owned(),
        )),
    }
}

fn find_unused(program: &Path) -> Result<Verdict, String> {
    let mut command = Command::new(program);
    // The name of a library may differ from the name of its package, such as `ratelimit-runtime`. Only the metadata contains both
    // names.
    run(command.arg("--with-metadata").current_dir(root())).map(|()| Verdict::Passed)
}
