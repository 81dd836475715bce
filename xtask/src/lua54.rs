//! The small server with Lua 5.4 (`tests/lua54`), on which the tests of the scripts run, too.

use crate::process::{cargo, run, target};
use std::ffi::OsString;
use std::process::Command;

/// Builds the server, and returns its program.
pub(crate) fn program() -> Result<OsString, String> {
    run(&mut command("build"))?;
    Ok(target().join("lua54/release/ratelimit-lua54").into())
}

/// Lints its code, which other builds leave out.
pub(crate) fn lints() -> Result<(), String> {
    run(command("clippy").args(["--", "-D", "warnings"]))
}

/// A cargo command on its package alone. The different compiler flags would rebuild everything, so it has its own target folder.
fn command(subcommand: &str) -> Command {
    let mut command =
        cargo(&[subcommand, "--locked", "--release", "--package", "ratelimit-lua54", "--target-dir"]);
    command.arg(target().join("lua54")).env("CARGO_ENCODED_RUSTFLAGS", "--cfg=lua54");
    command
}
