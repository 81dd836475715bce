//! Reads limits and a log, and prints as JSON which calls pass and which are refused. The decisions are the same as those of
//! `ratelimit simulate`, because the modules of that command are compiled into this program.
//!
//! The input has one limit in each line, then an empty line, and then a log as `ratelimit simulate --log` reads it. The page also
//! writes drawn traffic as a log.

#[path = "../../ratelimit-cli/src/simulate"]
#[allow(dead_code, unused_imports, reason = "the command uses all of it, the page a part")]
mod simulate {
    pub(crate) mod engine;
    pub(crate) mod hash;
    pub(crate) mod numbers;
    pub(crate) mod rate;
    pub(crate) mod time;
    pub(crate) mod traffic;
}
mod answer;
#[path = "../../ratelimit-cli/src/length.rs"]
mod length;

/// The part of the command's module `output` that the other modules need.
mod output {
    /// Returns the name unchanged, because it is not printed to a terminal here.
    pub(crate) fn safe(name: &str) -> String {
        name.to_owned()
    }
}

use std::io::{Read, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut input = String::new();
    stdin().read_to_string(&mut input)?;
    let answer = answer::answer(&input).unwrap_or_else(|error| serde_json::json!({ "error": error }));
    writeln!(stdout(), "{answer}")
}
