//! `cargo ratelimit check`: compares the sources with a committed manifest.

use super::openapi::complete;
use super::sources::{Sources, report};
use crate::exit::{Exit, Failure};
use crate::manifest::{Manifest, changes, read, write};
use crate::openapi::Form;
use crate::output::{Output, plural, print};
use clap::Args;
use std::path::{Path, PathBuf};

/// Compare the limits in the sources with the committed file, so that a change of a limit shows in a review
///
/// The file has no line numbers, so that it changes only if a limit changes.
#[derive(Args, Debug)]
pub(super) struct Check {
    /// Write the file instead
    #[arg(long)]
    write: bool,
    /// The committed file; relative to the current folder. Otherwise, `ratelimits.json` in the folder of the workspace
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Also this document, which `cargo ratelimit openapi` has written; with `--write`, writes it
    #[arg(long, value_name = "PATH")]
    openapi: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    sources: Sources,
}

/// The name of the committed file.
const FILE: &str = "ratelimits.json";

impl Check {
    pub(super) fn run(&self, output: Output) -> Result<Exit, Failure> {
        let (workspace, manifest) = self.sources.read()?;
        let path = self.file.clone().unwrap_or_else(|| workspace.root.join(FILE));
        report(&manifest.problems, output);
        let limits = self.limits(&path, &manifest);
        let Some(document) = &self.openapi else { return limits };
        match (limits, complete(document, &manifest, &self.form, self.write)) {
            (Err(one), Err(other)) => Err(one.and(&other.to_string())),
            (limits, document) => limits.and_then(|limits| Ok(limits.max(document?))),
        }
    }

    /// Compares the limits with the file, or writes the file.
    fn limits(&self, path: &Path, manifest: &Manifest) -> Result<Exit, Failure> {
        if self.write {
            if !manifest.problems.is_empty() {
                return Err(Failure::found(format!(
                    "{} was not written, because of these errors",
                    path.display()
                )));
            }
            write(path, &manifest.limits)?;
            return print(format!(
                "{}: wrote {}\n",
                path.display(),
                plural(manifest.limits.len() as u64, "limit")
            ));
        }
        let committed = read(path)?;
        let changes = changes(&committed.limits, &manifest.limits);
        for change in &changes {
            print(format!("{change}\n"))?;
        }
        if !changes.is_empty() {
            return Err(Failure::found(format!(
                "the limits in the sources differ from {}; if this is intended, add `--write` to this command, and commit the file",
                path.display()
            )));
        }
        if !manifest.problems.is_empty() {
            return Ok(Exit::Found);
        }
        print(format!("{}: {}, no change\n", path.display(), plural(manifest.limits.len() as u64, "limit")))
    }
}
