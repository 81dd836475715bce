//! `cargo ratelimit list`: every limit in the sources.

use super::named;
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
    /// Also show the overrides on a server, which `RATELIMIT_URL` names
    #[arg(long)]
    overrides: bool,
    /// Also show the overrides on this server
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The first part of all keys on the server, as in the builder of the limiter
    #[arg(long, env = "RATELIMIT_PREFIX", default_value = "ratelimit")]
    prefix: String,
    #[command(flatten)]
    sources: Sources,
}

impl List {
    pub(super) fn run(&self, output: Output) -> Result<Exit, Failure> {
        let (_, mut manifest) = self.sources.read()?;
        if self.overrides || self.url.is_some() {
            let variable = || std::env::var("RATELIMIT_URL").ok();
            let url = self.url.clone().or_else(variable);
            named::compare(&mut manifest, url.as_deref(), &self.prefix, output)?;
        }
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
