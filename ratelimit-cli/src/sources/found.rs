//! The findings of a reader, and the scope of the code that it reads.

use crate::manifest::{Entry, Problem};

/// The limits in the sources.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<Problem>,
    /// A file that is nested too deeply to be parsed.
    pub(crate) too_deep: Option<String>,
}

/// The code to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Libraries and binaries, without code that only tests contain.
    Shipped,
    /// All targets, including examples, tests and benchmarks.
    All,
}
