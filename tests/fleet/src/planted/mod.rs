//! Planted bugs: deliberate mistakes of the client and of the scripts (`planted.txt`). The simulation must find each of them.
//!
//! A simulated server plants a mistake of a script when it loads the script. Mistakes of the client are all planted in one copy
//! of the sources and one build. Each place checks at run time whether its bug is selected.

mod copy;
mod hunt;

pub use hunt::hunt;

use std::sync::OnceLock;

/// The environment variable that selects the planted bug in the copy of the client. Its value is the bug's number in the list,
/// from 1.
const VARIABLE: &str = "RATELIMIT_PLANTED";

/// A planted bug: a text in a file, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The name, which says what goes wrong.
    pub name: &'static str,
    /// The path of the file in the workspace.
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

/// Returns all bugs. For each bug, the list has its name after `##`, a line with its file, the lines of the text (`- `), and
/// the lines of the replacement (`+ `). A bug without a file belongs to the file of the previous bug. In Rust, either the text
/// and the replacement are expressions or statements, or the replacement contains the word `PLANTED`, which stands for the
/// condition that the bug is selected.
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

/// Returns the text of a script with the planted bug, if the bug belongs to a script.
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
