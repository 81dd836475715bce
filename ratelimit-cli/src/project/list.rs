//! `cargo ratelimit list`: every limit in the sources.

use super::named;
use super::sources::{Sources, report};
use crate::exit::{Exit, Failure};
use crate::manifest::{Manifest, markdown, table};
use crate::output::{Output, plural, print};
use clap::{Args, ValueEnum};

/// List every limit in the sources, with file, line, name and numbers
///
/// Reads the attributes of all packages of the workspace without building them. The bodies of macros cannot be read.
#[derive(Args, Debug)]
pub(super) struct List {
    /// How to write the list
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// The same as `--format json`
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Markdown,
}

impl List {
    pub(super) fn output(&self) -> Output {
        Output::new(self.format() == Format::Json, self.sources.color)
    }

    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub(super) fn run(&self, output: Output) -> Result<Exit, Failure> {
        let (_, mut manifest) = self.sources.read()?;
        if self.overrides || self.url.is_some() {
            let variable = || std::env::var("RATELIMIT_URL").ok();
            let url = self.url.clone().or_else(variable);
            named::compare(&mut manifest, url.as_deref(), &self.prefix, output)?;
        }
        self.print(&manifest, output)?;
        report(&manifest.problems, output);
        Ok(if manifest.problems.is_empty() { Exit::Success } else { Exit::Found })
    }

    fn print(&self, manifest: &Manifest, output: Output) -> Result<Exit, Failure> {
        match self.format() {
            Format::Json => {
                let text = serde_json::to_string_pretty(manifest).map_err(std::io::Error::from)?;
                print(text + "\n")
            }
            Format::Markdown => print(markdown(&manifest.limits)),
            Format::Table if manifest.limits.is_empty() => print("no limits\n"),
            Format::Table => {
                let count = plural(manifest.limits.len() as u64, "limit");
                print(format!("{}{count}\n", table(&manifest.limits, output)))
            }
        }
    }
}
