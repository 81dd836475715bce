//! Reads limits and a log, and prints what passes and what is refused, as JSON. The decisions are those of `ratelimit simulate`, by the
//! same code: its modules are compiled into this program.
//!
//! The input is one limit for each line, an empty line, and then a log as `ratelimit simulate --log` reads it. The page writes drawn
//! traffic as a log, too.

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

/// What the modules of the command need of its output.
mod output {
    /// A name is not printed to a terminal here, so it is safe as it is.
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
