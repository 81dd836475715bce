//! Planted bugs: deliberate mistakes of the client and of the scripts (`planted.txt`). The simulation must find each of them.
//!
//! A simulated server plants a mistake of a script when it loads the script. Mistakes of the client are all planted in one copy
//! of the sources and one build. Each place checks at run time whether its bug is selected.

mod copy;
mod hunt;
mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that selects the planted bug in the copy of the client. Its value is the bug's number in the list,
/// from 1.
const VARIABLE: &str = "RATELIMIT_PLANTED";

/// A planted bug: a text in a file, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The name, which says what goes wrong.
    pub name: String,
    /// The path of the file in the workspace.
    pub file: String,
    from: String,
    to: String,
    /// The position of the text in the file.
    at: usize,
}

impl Bug {
    /// Whether the bug is in a script.
    #[must_use]
    pub fn is_in_script(&self) -> bool {
        self.file.starts_with("lua/")
    }
}

/// Hunts the bugs of the list whose names contain a word. Returns whether all were found.
///
/// # Errors
///
/// No name contains the word, or the copy of the workspace cannot be made or built.
pub fn hunt(word: &str, seeds: u64, threads: usize) -> Result<bool, String> {
    let hunted: Vec<Bug> = bugs().into_iter().filter(|bug| bug.name.contains(word)).collect();
    if hunted.is_empty() {
        return Err(format!("no planted bug has `{word}` in its name, expected one of:\n{}", names(&bugs())));
    }
    hunt::hunt(hunted, &[], seeds, threads)
}

/// Draws mutations of the scripts and the client, and hunts them like planted bugs. Returns whether all were found.
///
/// # Errors
///
/// A file cannot be read, or the copy of the workspace cannot be made or built.
pub fn hunt_mutations(number: usize, from: u64, seeds: u64, threads: usize) -> Result<bool, String> {
    let options = ["--mutants".to_owned(), number.to_string(), "--from".to_owned(), from.to_string()];
    hunt::hunt(mutations(number, from)?, &options, seeds, threads)
}

/// Draws mutations of the scripts and the client.
///
/// # Errors
///
/// A file cannot be read.
pub fn mutations(number: usize, from: u64) -> Result<Vec<Bug>, String> {
    mutate::draw(number, from).map_err(|error| format!("cannot read the code to mutate: {error}"))
}

/// The environment variable with the folder of the code without bugs. The program that runs a bug is built from a copy.
const ROOT: &str = "RATELIMIT_PLANTED_ROOT";

/// The folder of the workspace without bugs.
fn root() -> PathBuf {
    std::env::var_os(ROOT).map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), PathBuf::from)
}

fn path_of(file: &str) -> PathBuf {
    root().join(file)
}

/// Returns all bugs. For each bug, the list has its name after `##`, a line with its file, the lines of the text (`- `), and
/// the lines of the replacement (`+ `). A bug without a file belongs to the file of the previous bug. In Rust, either the text
/// and the replacement are expressions or statements, or the replacement contains the word `PLANTED`, which stands for the
/// condition that the bug is selected.
#[must_use]
pub fn bugs() -> Vec<Bug> {
    let (mut bugs, mut file) = (Vec::<Bug>::new(), String::new());
    for line in include_str!("../../planted.txt").lines() {
        if let Some(name) = line.strip_prefix("## ") {
            let (name, file) = (name.to_owned(), file.clone());
            bugs.push(Bug { name, file, from: String::new(), to: String::new(), at: 0 });
        } else if let Some(bug) = bugs.last_mut() {
            match (line.strip_prefix("- "), line.strip_prefix("+ ").or((line == "+").then_some(""))) {
                (Some(text), _) => add_line(&mut bug.from, text),
                (None, Some(text)) => add_line(&mut bug.to, text),
                (None, None) if !line.is_empty() => (file, bug.file) = (line.to_owned(), line.to_owned()),
                (None, None) => {}
            }
        }
    }
    for bug in &mut bugs {
        bug.at =
            fs::read_to_string(path_of(&bug.file)).ok().and_then(|text| text.find(&bug.from)).unwrap_or(0);
    }
    bugs
}

/// The names of bugs, one in a line.
#[must_use]
pub fn names(bugs: &[Bug]) -> String {
    bugs.iter().map(|bug| &*bug.name).collect::<Vec<_>>().join("\n")
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

static PLANTED: OnceLock<Bug> = OnceLock::new();

/// Plants a bug of a script for the rest of this process.
pub fn plant(bug: Bug) {
    let _ = PLANTED.set(bug);
}

/// Returns the text of a script with the planted bug, if the bug belongs to a script.
pub(crate) fn script(text: &[u8]) -> Vec<u8> {
    let Some(bug) = PLANTED.get().filter(|bug| bug.is_in_script()) else { return text.to_vec() };
    let mut text = String::from_utf8_lossy(text).into_owned();
    // A script is several files in a row.
    let file = fs::read_to_string(path_of(&bug.file)).unwrap_or_default();
    if let Some(start) = text.find(&file) {
        let at = start + bug.at;
        text.replace_range(at..at + bug.from.len(), &bug.to);
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_draws_the_same_mutations() {
        let drawn = mutations(40, 7).unwrap();
        assert_eq!(drawn, mutations(40, 7).unwrap());
        let scripts = drawn.iter().filter(|bug| bug.is_in_script()).count();
        assert_eq!((drawn.len(), scripts), (40, 20));
        for bug in drawn {
            let text = fs::read_to_string(path_of(&bug.file)).unwrap();
            assert_eq!(text[bug.at..].find(&bug.from), Some(0), "{bug:?}");
        }
    }

    #[test]
    fn each_bug_has_one_place() {
        let bugs = bugs();
        let names: BTreeSet<&str> = bugs.iter().map(|bug| &*bug.name).collect();
        assert_eq!(names.len(), bugs.len(), "two bugs have one name");
        for bug in &bugs {
            let text = fs::read_to_string(path_of(&bug.file)).unwrap();
            assert_eq!(text.matches(&bug.from).count(), 1, "{bug:?} is not there, or not only there");
            assert_ne!(bug.from, bug.to);
        }
    }
}
