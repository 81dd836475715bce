//! Planted bugs: deliberate mistakes of the client and of the scripts (`planted.txt`), each of which the simulation must find.
//!
//! A mistake of a script is made when a simulated server loads the text. Mistakes of the client are made in a copy of the sources,
//! all in one build: each place asks which bug is planted.

mod copy;
mod hunt;

pub use hunt::hunt;

use std::sync::OnceLock;

/// The variable that says which bug is planted in the copy of the client: its number in the list, from 1.
const VARIABLE: &str = "RATELIMIT_PLANTED";

/// A planted bug: a text in a file, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// What goes wrong.
    pub name: &'static str,
    /// The file, from the root of the workspace.
    pub file: &'static str,
    from: String,
    to: String,
}

impl Bug {
    /// Whether the bug is in a script.
    #[must_use]
    pub fn is_in_script(&self) -> bool {
        self.file.starts_with("lua/")
    }
}

/// Returns all bugs. For each bug the list has its name after `##`, a line with its file, the lines of the text (`- `), and the lines
/// of the replacement (`+ `). A bug without a file is in the file of the bug before it. In Rust, text and replacement are expressions
/// or statements. If they are not, the replacement contains the word `PLANTED` in place of the condition.
#[must_use]
pub fn bugs() -> Vec<Bug> {
    let (mut bugs, mut file) = (Vec::<Bug>::new(), "");
    for line in include_str!("../../planted.txt").lines() {
        if let Some(name) = line.strip_prefix("## ") {
            bugs.push(Bug { name, file, from: String::new(), to: String::new() });
        } else if let Some(bug) = bugs.last_mut() {
            match (line.strip_prefix("- "), line.strip_prefix("+ ").or((line == "+").then_some(""))) {
                (Some(text), _) => add_line(&mut bug.from, text),
                (None, Some(text)) => add_line(&mut bug.to, text),
                (None, None) if !line.is_empty() => (file, bug.file) = (line, line),
                (None, None) => {}
            }
        }
    }
    bugs
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

/// The text of a script as a server loads it.
pub(crate) fn script(text: &[u8]) -> Vec<u8> {
    match PLANTED.get().filter(|bug| bug.is_in_script()) {
        Some(bug) => String::from_utf8_lossy(text).replacen(&bug.from, &bug.to, 1).into_bytes(),
        None => text.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn each_bug_has_one_place() {
        let bugs = bugs();
        let names: BTreeSet<&str> = bugs.iter().map(|bug| bug.name).collect();
        assert_eq!(names.len(), bugs.len(), "two bugs have one name");
        for bug in &bugs {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let text = std::fs::read_to_string(root.join(bug.file)).unwrap();
            assert_eq!(text.matches(&bug.from).count(), 1, "{bug:?} is not there, or not only there");
            assert_ne!(bug.from, bug.to);
        }
    }
}
