//! The command line.

use crate::block::Block;
use crate::doctor::Doctor;
use crate::exit::CODES;
use crate::list::List;
use crate::options::Keys;
use crate::overrides::{Set, Unset};
use crate::plan::{Apply, Plan};
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
    /// Without --for it shows the limit that all callers share. The services publish the numbers of their limits. For the limits of
    /// methods, and for numbers that vary, pass --limit; otherwise it shows only what the state tells.
    Peek(Keys),
    Reset(Reset),
    Set(Set),
    Unset(Unset),
    Block(Block),
    /// End a block, whether by hand or after a refusal
    Unblock(Keys),
    /// Show all overrides
    Overrides,
    Plan(Plan),
    Apply(Apply),
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
