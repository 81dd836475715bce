//! rustdoc with its unstable options on the stable toolchain: the JSON of a crate's documentation.

use crate::process::{cargo, run, target};
use serde_json::Value;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Set for the processes that cargo starts as rustdoc.
const STANDS_FOR_RUSTDOC: &str = "RATELIMIT_XTASK_IS_RUSTDOC";

/// `cargo ARGS`, which may use unstable options of rustdoc.
///
/// `RUSTC_BOOTSTRAP=1` permits them, but as a variable of cargo it makes build scripts run again, and with them most dependencies.
/// So this program stands for rustdoc, and sets the variable for rustdoc alone.
pub(crate) fn unstable(args: &[&str]) -> Result<Command, String> {
    let this = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut command = cargo(args);
    command.env("RUSTDOC", this).env(STANDS_FOR_RUSTDOC, "1");
    Ok(command)
}

/// Runs rustdoc if this process stands for it.
pub(crate) fn stand_in() -> Option<ExitCode> {
    env::var_os(STANDS_FOR_RUSTDOC)?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").env_remove(STANDS_FOR_RUSTDOC);
    Some(run(&mut rustdoc).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
}

/// The features of a build.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Features {
    All,
    None,
}

/// The documentation of a library, as JSON. Items that are hidden are not in it.
pub(crate) fn json(package: &str, library: &str, features: Features) -> Result<Value, String> {
    let path = target().join("doc").join(format!("{library}.json"));
    let features: &[&str] = if features == Features::All { &["--all-features"] } else { &[] };
    let mut command = unstable(&["rustdoc", "--locked", "--lib", "-p", package])?;
    run(command.args(features).args(["--", "-Z", "unstable-options", "--output-format", "json"]))?;
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}
