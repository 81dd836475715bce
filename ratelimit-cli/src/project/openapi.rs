//! `cargo ratelimit openapi`: the refusals of limited functions in the document of an API.

use super::sources::{Sources, report};
use crate::exit::{Exit, Failure};
use crate::files;
use crate::manifest::Manifest;
use crate::openapi::{Form, update};
use crate::output::{Output, print};
use clap::Args;
use std::path::{Path, PathBuf};

/// Add the refusals of limited functions to an `OpenAPI` document (JSON)
///
/// Finds the operation of a function by its id, which is the name of the function, or by the path in its attribute. Changes
/// nothing else in the document.
#[derive(Args, Debug)]
pub(super) struct OpenApi {
    /// The document; relative to the current folder
    #[arg(value_name = "DOCUMENT")]
    openapi: PathBuf,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    sources: Sources,
}

impl OpenApi {
    pub(super) fn run(&self, output: Output) -> Result<Exit, Failure> {
        let (_, manifest) = self.sources.read()?;
        report(&manifest.problems, output);
        complete(&self.openapi, &manifest, &self.form, true)
    }
}

/// Adds what the document lacks, or only reports it.
pub(super) fn complete(path: &Path, manifest: &Manifest, form: &Form, write: bool) -> Result<Exit, Failure> {
    let failed = |why: String| Failure::found(format!("{} {why}", path.display()));
    if write && !manifest.problems.is_empty() {
        return Err(failed("was not written, because of these errors".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let updated =
        update(text, &manifest.limits, form).map_err(|why| failed(format!("was not read: {why}")))?;
    for line in updated.notes.iter().chain(&updated.changes) {
        print(format!("{line}\n"))?;
    }
    if write && !updated.changes.is_empty() {
        files::write(path, updated.text.as_bytes())?;
    } else if !updated.changes.is_empty() {
        return Err(failed(format!(
            "lags behind the limits in the sources; run `cargo ratelimit openapi {}` with the same options, and commit the file",
            path.display()
        )));
    } else {
        print(format!("{}: no change\n", path.display()))?;
    }
    Ok(if manifest.problems.is_empty() { Exit::Success } else { Exit::Found })
}
