//! Runs other programs, and describes how they failed.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const INCREMENTAL: &str = "CARGO_INCREMENTAL";

/// The workspace root. Uses the variable at run time if it is set, because the checkout may have moved after the build.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map_or_else(|| manifest.clone(), Path::to_path_buf)
}

/// The folder into which cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")))
}

/// A command of the cargo that also runs this program, so that all steps use one toolchain. Runs in the workspace root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(args).current_dir(root());
    // The outer cargo sets variables about this package, which would make some build scripts run again.
    for (name, _) in env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// A command of cargo for a build of everything, without incremental compilation. Incremental caches take a fifth of a full
/// build, and help only the next build.
pub(crate) fn cargo_once(args: &[&str]) -> Command {
    let mut command = cargo(args);
    if env::var_os(INCREMENTAL).is_none() {
        command.env(INCREMENTAL, "0");
    }
    command
}

/// A command like [`cargo_once`], with clippy as the compiler of this repository's crates, so that one compilation serves lints
/// and tests. `cargo clippy` would compile all dependencies in a separate form. Tests that call cargo do the same
/// (`tests/support/example.rs`).
pub(crate) fn cargo_linted(args: &[&str]) -> Command {
    const CLIPPY: &str = "build.rustc-workspace-wrapper='clippy-driver'";
    let mut command = cargo_once(args);
    command.args(["--config", CLIPPY]).env("RATELIMIT_CARGO_CONFIG", CLIPPY).env("CLIPPY_ARGS", "-Dwarnings");
    command
}

/// Runs a command that prints to this terminal. An error says how it ended.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(not_started(command, &error)),
    }
}

/// Runs a command and returns its output. Its error output goes to this terminal.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let result = command.stderr(Stdio::inherit()).output();
    let output = result.map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(output.status.to_string())
    }
}

/// Whether a command succeeds. Prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Removes a folder, if there is one.
pub(crate) fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", command.get_program().display())
}

#[cfg(test)]
mod tests {
    use super::{cargo, output, root, run, succeeds};
    use std::process::Command;

    #[test]
    fn the_root_is_the_workspace() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }

    #[test]
    fn cargo_prints_its_version() {
        assert!(output(&mut cargo(&["--version"])).unwrap().starts_with("cargo "));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(error.starts_with("cannot start `no-such-program-here`: "), "{error}");
        assert!(!succeeds(&mut Command::new("no-such-program-here")));
    }
}
