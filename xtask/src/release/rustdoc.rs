//! Lets this program run in place of rustdoc. This permits unstable options on the stable toolchain, such as the JSON of a
//! crate's documentation. It also lets the documentation use the crates that the tests have compiled.

use crate::process::{cargo, run, target};
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The variable that is set for the processes that cargo starts as rustdoc.
const STANDS_FOR_RUSTDOC: &str = "RATELIMIT_XTASK_IS_RUSTDOC";

/// The value of the variable if rustdoc makes documentation instead of running the tests in it.
const DOCUMENTS: &str = "documents";

/// Returns the command `cargo ARGS`, in which rustdoc may have unstable options.
///
/// `RUSTC_BOOTSTRAP=1` permits these options. If cargo itself had this variable, it would run the build scripts again, and
/// compile most dependencies again. So this program stands in for rustdoc, and sets the variable for rustdoc alone.
pub(crate) fn unstable(args: &[&str]) -> Command {
    with_stand_in(cargo(args), "unstable")
}

/// Makes `cargo test --doc` document the libraries without warnings. `cargo doc` would compile all dependencies once more, in the
/// form that `cargo check` uses.
pub(crate) fn instead_of_tests(tests: Command) -> Command {
    with_stand_in(tests, DOCUMENTS)
}

fn with_stand_in(mut command: Command, purpose: &str) -> Command {
    // `current_exe` is not used: if `cargo xtask test` has just compiled this program with clippy, it would name a file that no
    // longer exists.
    let this = target().join("debug").join(format!("xtask{}", env::consts::EXE_SUFFIX));
    command.env("RUSTDOC", this).env(STANDS_FOR_RUSTDOC, purpose);
    command
}

/// Runs rustdoc if cargo has started this process in place of rustdoc.
pub(crate) fn stand_in() -> Option<ExitCode> {
    let purpose = env::var_os(STANDS_FOR_RUSTDOC)?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.env_remove(STANDS_FOR_RUSTDOC);
    let given = env::args_os().skip(1);
    if purpose == DOCUMENTS {
        rustdoc.args(documenting(given)).args(["-D", "warnings", "--out-dir"]).arg(target().join("doc"));
    } else {
        rustdoc.args(given).env("RUSTC_BOOTSTRAP", "1");
    }
    Some(run(&mut rustdoc).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
}

/// Turns arguments that run the tests of a crate's documentation into arguments that document the crate.
fn documenting(tests: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut tests = tests.into_iter();
    let mut kept = Vec::new();
    while let Some(argument) = tests.next() {
        if argument == "--test-run-directory" || argument == "--test-args" {
            tests.next();
        } else if argument != "--test" {
            kept.push(argument);
        }
    }
    kept
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
    let mut command = unstable(&["rustdoc", "--locked", "--lib", "-p", package]);
    run(command.args(features).args(["--", "-Z", "unstable-options", "--output-format", "json"]))?;
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::documenting;
    use std::ffi::OsString;

    #[test]
    fn only_what_runs_tests_is_left_out() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let tests =
            "--crate-name a --test src/lib.rs --test-run-directory /b --test-args --quiet --extern c=d";
        assert_eq!(documenting(words(tests)), words("--crate-name a src/lib.rs --extern c=d"));
        assert_eq!(documenting(words("-vV")), words("-vV"));
    }
}
