//! The command line.

use crate::bench::Bench;
use crate::doctor::Doctor;
use crate::exit::{self, Exit};
use crate::list::List;
use crate::overrides::{Set, Unset};
use crate::peek::Peek;
use crate::reset::Reset;
use crate::simulate::Simulate;
use crate::top::Top;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::marker::PhantomData;

/// Parses a command line. If it is wrong, or asks for help or the version, prints that and returns the exit code.
pub(crate) fn parse<C: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<C, Exit> {
    C::try_parse_from(arguments).map_err(|error| {
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Success }
    })
}

/// Inspects and operates rate limits in Redis or Valkey.
#[derive(Debug, Parser)]
#[command(name = "ratelimit", version, after_help = exit::CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The heading of [`Global`] in `--help`.
const HEADING: &str = "Options of all commands";

#[derive(Args, Debug)]
pub(crate) struct Global {
    /// The store, as for the library: redis://.., rediss://.., redis+unix://.., redis+sentinel://.. or redis+cluster://..
    #[arg(long, global = true, help_heading = HEADING, env = "RATELIMIT_URL", hide_env_values = true, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The first part of all keys, as in the builder of the limiter
    #[arg(long, global = true, help_heading = HEADING, env = "RATELIMIT_PREFIX", default_value = "ratelimit")]
    pub(crate) prefix: String,
    /// Write JSON
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) json: bool,
    /// Use colors; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, help_heading = HEADING, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(List),
    Peek(Peek),
    Reset(Reset),
    Set(Set),
    Unset(Unset),
    /// Show all overrides
    Overrides,
    Top(Top),
    Bench(Bench),
    Doctor(Doctor),
    Simulate(Box<Simulate>),
    /// Write the completions of a shell to standard output
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Options of commands that read limits.
#[derive(Args, Clone, Debug)]
pub(crate) struct Given {
    /// The numbers of a limit that no process has published: "login=counter count=5 time=1m" for the limit `login`, or "counter
    /// count=5 time=1m" for each limit with this algorithm. Can be repeated
    #[arg(long = "limit", value_name = "LIMIT")]
    pub(crate) limits: Vec<crate::limits::GivenLimit>,
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

/// Options of commands that scan all keys.
#[derive(Args, Clone, Debug)]
pub(crate) struct Pace<D: DefaultPace> {
    /// The most keys to read in a second, from 100
    // Not `default_value_t`: it has one value for all types `D`.
    #[arg(long, value_name = "KEYS", default_value = D::KEYS_PER_SECOND, value_parser = clap::value_parser!(u32).range(100..))]
    pub(crate) keys_per_second: u32,
    #[arg(skip)]
    command: PhantomData<D>,
}

/// How fast a command scans.
pub(crate) trait DefaultPace: Clone + Send + Sync + 'static {
    const KEYS_PER_SECOND: &'static str;
}

/// The pace of commands that scan all keys once.
#[derive(Clone, Debug)]
pub(crate) struct Once;

/// The pace of checks, which look at a sample.
#[derive(Clone, Debug)]
pub(crate) struct Sample;

/// The pace of `top`, which scans as long as it runs.
#[derive(Clone, Debug)]
pub(crate) struct Always;

impl DefaultPace for Once {
    const KEYS_PER_SECOND: &'static str = "100000";
}

impl DefaultPace for Sample {
    const KEYS_PER_SECOND: &'static str = "20000";
}

impl DefaultPace for Always {
    const KEYS_PER_SECOND: &'static str = "10000";
}
