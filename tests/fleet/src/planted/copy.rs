//! Copies the workspace, plants all bugs of the client in the copy, and builds it.

use super::{Bug, VARIABLE, bugs};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Code that is appended to the copied library: a function that returns whether the bug with this number is selected.
const SWITCH: &str = "
#[doc(hidden)]
#[allow(missing_docs, unreachable_pub)]
pub mod planted {
    pub fn is(number: usize) -> bool {
        static PLANTED: std::sync::LazyLock<Option<usize>> =
            std::sync::LazyLock::new(|| std::env::var(\"VARIABLE\").ok()?.parse().ok());
        *PLANTED == Some(number)
    }
}
";

/// Copies the workspace, plants the bugs of the client, and builds the fleet. Returns the path of the program.
pub(super) fn build() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let target = root.join("target/planted");
    let copy = target.join("sources");
    copy_folder(&root, &copy).map_err(|error| format!("cannot copy the workspace: {error}"))?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--release", "--package", "ratelimit-fleet", "--target-dir"]).arg(&target);
    // The output is captured, because warnings about the braces of planted bugs do not matter.
    let built =
        command.current_dir(&copy).output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if built.status.success() {
        Ok(target.join("release/fleet"))
    } else {
        Err(String::from_utf8_lossy(&built.stderr).into_owned())
    }
}

/// Copies a folder. Writes only files that have changed, so that cargo rebuilds only what depends on them.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == "target" || name == ".git" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_folder(&path, &to.join(name))?;
            continue;
        }
        let text = with_bugs(&path, fs::read(&path)?);
        let to = to.join(name);
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(to, text)?;
        }
    }
    Ok(())
}

/// Returns the text of a file with the bugs that belong to it.
fn with_bugs(path: &Path, text: Vec<u8>) -> Vec<u8> {
    let is_library = path.ends_with("ratelimit-runtime/src/lib.rs");
    let is_here = |(_, bug): &(usize, Bug)| !bug.is_in_script() && path.ends_with(bug.file);
    let bugs: Vec<(usize, Bug)> = (1..).zip(bugs()).filter(is_here).collect();
    if bugs.is_empty() && !is_library {
        return text;
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if is_library {
        text.push_str(&SWITCH.replace("VARIABLE", VARIABLE));
    }
    for (number, bug) in bugs {
        let is_planted = format!("crate::planted::is({number})");
        let (from, to) = (&bug.from, &bug.to);
        let switched = if to.contains("PLANTED") {
            to.replace("PLANTED", &is_planted)
        } else {
            format!("{{ if {is_planted} {{ {to} }} else {{ {from} }} }}")
        };
        text = text.replacen(from, &switched, 1);
    }
    text.into_bytes()
}
