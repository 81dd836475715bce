//! The command line.

use crate::block::Block;
use crate::doctor::Doctor;
use crate::exit::CODES;
use crate::list::List;
use crate::options::Keys;
use crate::overrides::{Set, Unset};
use crate::plan::{self, Apply};
use crate::reset::Reset;
use crate::simulate::Simulate;
use crate::top::Top;
use clap::{Args, ColorChoice, CommandFactory as _, Parser, Subcommand};

/// Inspects and operates rate limits in Redis or Valkey.
#[derive(Debug, Parser)]
#[command(name = "ratelimit", version, after_help = CODES, max_term_width = 100)]
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
    pub(crate) color: ColorChoice,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(List),
    /// Show the use of a limit by some identities, without taking units
    ///
    /// Without --for, shows the limit that all callers share. The services publish the numbers of their limits. For the limits of
    /// methods, and for numbers that differ between calls, pass --limit. Otherwise, only the units in use are shown.
    Peek(Keys),
    Reset(Reset),
    Set(Set),
    Unset(Unset),
    Block(Block),
    /// End a block that was set by hand or by a refusal
    Unblock(Keys),
    /// Show all overrides
    Overrides,
    /// Show what `apply` would change: all overrides of the prefix become those of a file
    ///
    /// The file is TOML with a table for each override: `[[override]]`, then `name = "login"` and `change = "count=2"`. An
    /// override for some callers also has `for = "203.0.113.7"` and `parts = ["pdf"]`. With `expires = "2027-01-31T00:00:00Z"`,
    /// the override ends at that time.
    Plan(plan::Overrides),
    Apply(Apply),
    /// Check whether the overrides of the prefix are those of a file; exit code 1 if they are not
    Drift(plan::Overrides),
    Top(Top),
    Doctor(Doctor),
    Simulate(Box<Simulate>),
    /// Write the completions of a shell to standard output
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Whether `ratelimit` has a command of this name.
pub(crate) fn has_command(name: &str) -> bool {
    Cli::command().find_subcommand(name).is_some()
}
