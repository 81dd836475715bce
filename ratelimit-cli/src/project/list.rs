//! `cargo ratelimit list`: every limit in the sources.

use super::sources::{Sources, report};
use crate::exit::{Exit, Failure};
use crate::manifest::table;
use crate::output::{Output, plural, print};
use clap::Args;

/// List every limit in the sources, with file, line, name and numbers
///
/// Reads the attributes of all packages of the workspace without building them. The bodies of macros cannot be read.
#[derive(Args, Debug)]
pub(super) struct List {
    /// Writes the manifest as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sources: Sources,
}

impl List {
    pub(super) fn run(&self, output: Output) -> Result<Exit, Failure> {
        let (_, manifest) = self.sources.read()?;
        if self.json {
            let text = serde_json::to_string_pretty(&manifest).map_err(std::io::Error::from)?;
            print(text + "\n")?;
        } else if manifest.limits.is_empty() {
            print("no limits\n")?;
        } else {
            let count = plural(manifest.limits.len() as u64, "limit");
            print(format!("{}{count}\n", table(&manifest.limits, output)))?;
        }
        report(&manifest.problems, output);
        Ok(if manifest.problems.is_empty() { Exit::Success } else { Exit::Found })
    }
}
