//! Options that several commands have. They are in a separate file, so that no command imports the module of the command line.

use clap::Args;
use ratelimit::{Algorithm, Limit, ParseLimitError};
use std::str::FromStr;

/// Options of commands that read limits.
#[derive(Args, Clone, Debug)]
pub(crate) struct Given {
    /// The numbers of a limit that no process has published: "login=counter count=5 time=1m" for the limit `login`, or "counter
    /// count=5 time=1m" for each limit with this algorithm. Can be repeated
    #[arg(long = "limit", value_name = "LIMIT")]
    pub(crate) limits: Vec<GivenLimit>,
}

/// A limit of the command line: for one name, or for each limit with its algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenLimit {
    pub(crate) name: Option<String>,
    pub(crate) limit: Limit,
}

impl FromStr for GivenLimit {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<Self, ParseLimitError> {
        let named = Algorithm::ALL.into_iter().find_map(|algorithm| {
            let at = text.find(&format!("={} ", algorithm.as_str()))?;
            Some((&text[..at], &text[at + 1..]))
        });
        let (name, limit) = named.map_or((None, text), |(name, limit)| (Some(name.trim().to_owned()), limit));
        Ok(Self { name, limit: limit.parse()? })
    }
}

/// The keys on which `peek`, `block` and `unblock` act.
#[derive(Args, Clone, Debug)]
pub(crate) struct Keys {
    /// The name of the limit, as in the attribute's `key`
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) callers: Callers,
    #[command(flatten)]
    pub(crate) given: Given,
}

/// Options that name the keys of one limit.
#[derive(Args, Clone, Debug)]
pub(crate) struct Callers {
    /// Who is limited: an address, or a text as `list --identities` shows it. Join the values of a tuple with commas, as in
    /// `203.0.113.7,alice`. `'#0123abcd'` is a hash as hooks, log lines, `list` and `top` show it, or its beginning. `text:..` is
    /// never an address; `secret:..` is hashed, as the value of `by = "header:.."`
    #[arg(long = "for", value_name = "IDENTITY")]
    pub(crate) identities: Vec<String>,
    /// The value of a placeholder in the name; repeat it for each placeholder
    #[arg(long = "part", value_name = "VALUE")]
    pub(crate) parts: Vec<String>,
}
