//! Reads the sources that the options of `cargo ratelimit` choose, and the limits in them.

use super::clash::clashes;
use crate::exit::Failure;
use crate::manifest::{Manifest, Problem, VERSION};
use crate::output::Output;
use crate::sources::{self, Scope, Workspace};
use clap::Args;
use std::path::PathBuf;

/// The stack of the thread that reads sources, in bytes. Deeply nested code needs more than the default.
const STACK: usize = 256 << 20;

/// Options that choose sources.
#[derive(Args, Debug)]
pub(super) struct Sources {
    /// Only this package; can be repeated
    #[arg(long = "package", short = 'p', value_name = "NAME")]
    packages: Vec<String>,
    /// Also examples, tests, benchmarks, and code under `cfg(test)`
    #[arg(long)]
    all_targets: bool,
    /// The Cargo.toml of the workspace or of one of its packages; otherwise, that of the current folder
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
}

impl Sources {
    /// Reads the sources, and finds the limits that clash.
    pub(super) fn read(&self) -> Result<(Workspace, Manifest), Failure> {
        let workspace = Workspace::find(self.manifest_path.as_deref()).map_err(Failure::usage)?;
        if let Some(unknown) = self.packages.iter().find(|name| !workspace.has(name)) {
            return Err(Failure::usage(format!("the workspace has no package `{unknown}`")));
        }
        let scope = if self.all_targets { Scope::All } else { Scope::Shipped };
        let found = std::thread::scope(|threads| {
            let read = || sources::read(&workspace, &self.packages, scope);
            let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(threads, read)?;
            reader
                .join()
                .map_err(|_| std::io::Error::other("cannot read the sources (a defect; please report it)"))
        })?;
        if let Some(file) = found.too_deep {
            return Err(Failure::usage(format!(
                "{file} is nested too deeply to be parsed; nothing was done"
            )));
        }
        let mut problems = found.problems;
        problems.extend(clashes(&found.entries, &workspace));
        Ok((workspace, Manifest { version: VERSION, limits: found.entries, problems }))
    }
}

/// Prints problems to standard error.
pub(super) fn report(problems: &[Problem], output: Output) {
    for problem in problems {
        output.error(problem);
    }
}
