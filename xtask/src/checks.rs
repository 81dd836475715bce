//! The checks of `cargo xtask test`: format, lints, tests, documentation, packaging.

use crate::packaging;
use crate::process::{cargo, run};
use crate::progress::Progress;
use crate::tools::SERVER_VARIABLE;
use std::ffi::OsStr;

/// Runs all checks, and stops at the first that fails.
pub(crate) fn everything(server: &OsStr) -> Result<(), String> {
    let mut progress = Progress::default();
    progress.step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    progress.step("lints", lints)?;
    progress.step("tests", || tests(server, &[]))?;
    progress.step("documentation", documentation)?;
    progress.step("packaging", packaging::check)?;
    println!("\n{}", progress.summary());
    Ok(())
}

/// Runs the tests whose names match, without the other checks.
pub(crate) fn only_tests(server: &OsStr, filter: &[String]) -> Result<(), String> {
    Progress::default().step("tests", || tests(server, filter))
}

/// Runs clippy with all features, and for the runtime also with its default features.
fn lints() -> Result<(), String> {
    let scope = ["clippy", "--locked", "--workspace", "--all-targets", "--all-features"];
    run(cargo(&scope).args(["--", "-D", "warnings"]))?;
    run(cargo(&["clippy", "--locked", "-p", "ratelimit-runtime"]).args(["--", "-D", "warnings"]))
}

/// Runs unit, integration, UI and documentation tests. `--all-targets` would leave out the documentation tests.
fn tests(server: &OsStr, filter: &[String]) -> Result<(), String> {
    let mut command = cargo(&["test", "--locked", "--workspace", "--all-features", "--no-fail-fast"]);
    run(command.args(filter).env(SERVER_VARIABLE, server))
}

fn documentation() -> Result<(), String> {
    let mut command = cargo(&["doc", "--locked", "--workspace", "--no-deps", "--all-features"]);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))
}
