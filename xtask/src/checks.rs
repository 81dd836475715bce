//! The checks of `cargo xtask test`: format, lints, tests, documentation, packaging.

use crate::lua54;
use crate::packaging;
use crate::process::{cargo, cargo_linted, cargo_once, output, run};
use crate::progress::Progress;
use crate::release;
use crate::servers::LUA54;
use crate::tools::SERVER_VARIABLE;
use std::env;
use std::ffi::OsStr;
use std::process::Command;
use std::thread;

/// The number of tests of a program that run at the same time.
const THREADS: &str = "RUST_TEST_THREADS";

/// Runs all checks, and stops at the first check that fails.
pub(crate) fn everything(server: &OsStr) -> Result<(), String> {
    let mut progress = Progress::default();
    progress.step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
    release::quick(&mut progress)?;
    progress.step("lints and compilation", lints)?;
    progress.step("tests", || run(all_tests(cargo_linted).env(SERVER_VARIABLE, server)))?;
    progress.step("scripts under Lua 5.4", scripts_under_lua54)?;
    progress.step("packaging and documentation", packaging::check)?;
    println!("\n{}", progress.summary());
    Ok(())
}

/// Runs the tests whose names match, without the other checks.
pub(crate) fn only_tests(server: &OsStr, filter: &[String]) -> Result<(), String> {
    Progress::default().step("tests", || {
        tests_match(&mut all_tests(cargo), filter)?;
        run(all_tests(cargo).args(filter).env(SERVER_VARIABLE, server))
    })
}

/// The packages whose tests start no server and do not need Unix. The harness of all other tests starts servers with a shell.
const PORTABLE: [&str; 5] =
    ["ratelimit-limit", "ratelimit-syntax", "ratelimit-macros", "ratelimit-runtime", "ratelimit-fleet"];

/// Runs the tests that every system can run: tests of the rules of limits, the attribute, the memory store, all examples in the
/// documentation, and fleets on simulated servers.
pub(crate) fn portable() -> Result<(), String> {
    let mut tests = cargo_once(&["test", "--locked", "--all-features", "--no-fail-fast"]);
    run(tests.args(PORTABLE.map(|name| ["--package", name]).as_flattened()))?;
    println!(
        "\nnot run here: the tests on real servers, of the command and of the frameworks. They start servers by a shell, so they need \
         Linux or macOS: `cargo xtask test`"
    );
    Ok(())
}

/// Checks a running server, and runs the first example on it.
pub(crate) fn doctor(url: &str) -> Result<(), String> {
    let mut progress = Progress::default();
    progress.step("doctor", || {
        let doctor =
            ["run", "--locked", "-p", "ratelimit-cli", "--bin", "ratelimit", "--", "doctor", "--url", url];
        run(&mut cargo(&doctor))
    })?;
    progress.step("quickstart", || {
        run(cargo(&["run", "--locked", "--example", "quickstart"]).env("RATELIMIT_URL", url))
    })?;
    println!("\n{}", progress.summary());
    Ok(())
}

/// Returns an error if the command runs no test with this filter, because zero tests always pass.
pub(crate) fn tests_match(tests: &mut Command, filter: &[String]) -> Result<(), String> {
    let own = if filter.iter().any(|argument| argument == "--") { "--list" } else { "-- --list" };
    let listing = output(tests.args(filter).args(own.split(' ')))?;
    if names_a_test(&listing) { Ok(()) } else { Err(format!("no test matches `{}`", filter.join(" "))) }
}

fn names_a_test(listing: &str) -> bool {
    listing.lines().any(|line| line.ends_with(": test"))
}

/// Compiles everything with clippy, so that the tests can use the compiled crates. `--all-targets` is not given: it would also
/// compile the attribute as a library, and so compile all packages that depend on the attribute once more for the tests. `cargo
/// xtask features` lints the runtime with other features.
fn lints() -> Result<(), String> {
    let scope = ["build", "--locked", "--workspace", "--all-features", "--tests", "--examples", "--bins"];
    run(&mut cargo_linted(&scope))
}

/// Runs the tests of the scripts once more, on the server with Lua 5.4. The tests are selected by their names, because `--test
/// stores` would select other features, and so compile the library again.
fn scripts_under_lua54() -> Result<(), String> {
    let program = lua54::program(cargo_linted)?;
    let mut tests = all_tests(cargo_linted);
    tests.args(["--tests", "--"]).args(LUA54.tests());
    // Fewer operations than on Redis are enough, because a difference between the two Lua versions shows quickly.
    run(tests.env(SERVER_VARIABLE, program).env("RATELIMIT_OPERATIONS", "20%"))
}

/// All tests: unit, integration, UI and documentation tests. `--all-targets` would leave out the documentation tests.
fn all_tests(cargo: fn(&[&str]) -> Command) -> Command {
    let mut tests = cargo(&["test", "--locked", "--workspace", "--all-features", "--no-fail-fast"]);
    // Many tests wait for their servers, so three tests for each core finish earlier than one.
    if env::var_os(THREADS).is_none()
        && let Ok(cores) = thread::available_parallelism()
    {
        tests.env(THREADS, (3 * cores.get()).to_string());
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::names_a_test;

    #[test]
    fn a_listing_of_cargo_names_tests() {
        assert!(names_a_test("0 tests, 0 benchmarks\nfaults::kills: test\n\n1 test, 0 benchmarks\n"));
        assert!(!names_a_test("0 tests, 0 benchmarks\n"));
    }
}
