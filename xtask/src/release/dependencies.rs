//! Licences, sources and duplicates of the dependencies, by the rules in `deny.toml`, and dependencies that no code uses.

use super::tools;
use crate::process::{root, run};
use crate::progress::Verdict;
use std::process::Command;

pub(crate) fn licences() -> Result<Verdict, String> {
    let mut command = Command::new(tools::from_crates_io(tools::DENY)?);
    command.args(["--all-features", "check", "bans", "licenses", "sources"]).current_dir(root());
    run(&mut command).map(|()| Verdict::Passed)
}

pub(crate) fn unused() -> Result<Verdict, String> {
    let mut command = Command::new(tools::from_crates_io(tools::MACHETE)?);
    run(command.current_dir(root())).map(|()| Verdict::Passed)
}
