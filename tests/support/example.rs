//! Runs cargo inside of a test, and builds examples.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a command that runs the cargo that has built this test, in the root of the workspace.
///
/// The command does not inherit the variables that cargo sets for a test about its package. Build scripts that read these
/// variables, such as `ring`'s, would run again. Cargo would then compile all crates that depend on them again, both now and in
/// the next build without the variables.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    for (name, _) in env::vars_os() {
        let about = name.to_string_lossy();
        if about.starts_with("CARGO_PKG_") || about.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Builds an example, and returns the path of its program. The build uses the settings of `cargo xtask test`, so that nothing
/// is compiled twice. Under that command, the features are also the same.
pub fn example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("the program of this test");
    let target = test.ancestors().nth(3).expect("a test is in target/PROFILE/deps");
    let arguments = ["build", "--locked", "--workspace", "--all-features", "--target-dir"];
    let mut cargo = cargo();
    cargo.args(arguments).arg(target).args(["--example", name]);
    if let Some(settings) = env::var_os("RATELIMIT_CARGO_CONFIG") {
        cargo.args(["--bin", "ratelimit", "--config"]).arg(settings);
    }
    let output = cargo.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("debug/examples").join(name)
}
