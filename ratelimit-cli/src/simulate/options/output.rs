//! The options that choose the output: the width of the chart, and files.

use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Columns of the chart [default: the width of the terminal, else 80]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..=400))]
    pub(crate) width: Option<u16>,

    /// Writes a self-contained report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Writes the plot as a vector picture
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Writes the plot as a picture of 1720 pixels
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Writes the calls of each part of the time
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Writes each call and each decision about it, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) calls: Option<PathBuf>,
}

impl OutputOptions {
    /// All files to write.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = [&self.html, &self.svg, &self.png, &self.csv, &self.calls];
        paths.into_iter().filter_map(Option::as_deref)
    }
}
