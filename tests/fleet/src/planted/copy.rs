//! Copies the workspace, plants all bugs of the client in the copy, and builds it.

use super::{Bug, VARIABLE};
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

/// Bugs, each with the number that selects it.
pub(super) type Numbered = Vec<(usize, Bug)>;

/// Copies the workspace, plants the bugs of the client, and builds the fleet. Leaves out bugs that do not compile. Returns the
/// path of the program, and the bugs.
pub(super) fn build(bugs: Vec<Bug>) -> Result<(PathBuf, Numbered), String> {
    let root = super::root().canonicalize().map_err(|error| error.to_string())?;
    let target = root.join("target/planted");
    let copy = target.join("sources");
    let mut bugs: Numbered = (1..).zip(bugs).collect();
    loop {
        copy_folder(&root, &copy, &bugs).map_err(|error| format!("cannot copy the workspace: {error}"))?;
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["build", "--release", "--package", "ratelimit-fleet", "--target-dir"]).arg(&target);
        // The output is captured, because warnings about the braces of planted bugs do not matter.
        let built =
            command.current_dir(&copy).output().map_err(|error| format!("cannot start cargo: {error}"))?;
        if built.status.success() {
            return Ok((target.join("release/fleet"), bugs));
        }
        let (errors, number) = (String::from_utf8_lossy(&built.stderr).into_owned(), bugs.len());
        bugs.retain(|(_, bug)| !is_wrong(&root, bug, &errors));
        if bugs.len() == number {
            return Err(errors);
        }
    }
}

/// Whether the compiler has found an error in the lines of a bug. Bugs do not change the numbers of lines.
fn is_wrong(root: &Path, bug: &Bug, errors: &str) -> bool {
    let Ok(text) = fs::read_to_string(root.join(&bug.file)) else { return false };
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let lines = line(bug.at)..=line(bug.at + bug.from.len());
    let mut is_error = false;
    errors.lines().any(|shown| {
        is_error = shown.starts_with("error") || is_error && !shown.starts_with("warning");
        let place = shown.trim_start().strip_prefix("--> ").and_then(|place| place.strip_prefix(&bug.file));
        let number = place.and_then(|place| place.split(':').nth(1)?.parse::<usize>().ok());
        is_error && number.is_some_and(|number| lines.contains(&number))
    })
}

/// Copies a folder. Writes only files that have changed, so that cargo rebuilds only what depends on them.
fn copy_folder(from: &Path, to: &Path, bugs: &Numbered) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == "target" || name == ".git" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_folder(&path, &to.join(name), bugs)?;
            continue;
        }
        let text = with_bugs(&path, fs::read(&path)?, bugs);
        let to = to.join(name);
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(to, text)?;
        }
    }
    Ok(())
}

/// Returns the text of a file with the bugs that belong to it.
fn with_bugs(path: &Path, text: Vec<u8>, bugs: &Numbered) -> Vec<u8> {
    let is_library = path.ends_with("ratelimit-runtime/src/lib.rs");
    let mut bugs: Vec<&(usize, Bug)> =
        bugs.iter().filter(|(_, bug)| !bug.is_in_script() && path.ends_with(&bug.file)).collect();
    if bugs.is_empty() && !is_library {
        return text;
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    // From the end of the file to its beginning, so that the positions of the others stay right.
    bugs.sort_by_key(|(_, bug)| bug.at);
    for (number, bug) in bugs.into_iter().rev() {
        let is_planted = format!("crate::planted::is({number})");
        let (from, to) = (&bug.from, &bug.to);
        let switched = if to.contains("PLANTED") {
            to.replace("PLANTED", &is_planted)
        } else {
            format!("{{ if {is_planted} {{ {to} }} else {{ {from} }} }}")
        };
        // Another bug may have the same place. Its code contains the text once more.
        if let Some(after) = text[bug.at..].find(from) {
            let at = bug.at + after;
            text.replace_range(at..at + from.len(), &switched);
        }
    }
    if is_library {
        text.push_str(&SWITCH.replace("VARIABLE", VARIABLE));
    }
    text.into_bytes()
}
