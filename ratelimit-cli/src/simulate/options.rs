//! The options of `ratelimit simulate`.

use super::traffic::Arrivals;
use super::traffic::log::Selection;
use ratelimit::overrides::LimitChange;
use ratelimit::{Limit, ParseLimitError};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  ratelimit simulate \"counter count=100 time=1m\" \"token_bucket count=100 time=1m burst=20\" --steady 120/min
  ratelimit simulate \"sliding_window count=5 time=15m\" --log access.log --path /login
  ratelimit simulate \"counter count=100 time=1m\" --shadow \"count=50\" --log access.log

Exit codes: 0: done; 1: the log cannot be read or has no readable line, or a file cannot be written;
2: the command line is wrong.";

/// Show what limits admit and refuse, on simulated traffic or on an access log
///
/// Time is simulated, so nothing sleeps. All decisions are made by the code of the memory store, which decides as Redis does.
/// Several limits get the same traffic. Without any option for traffic, the traffic is `--poisson 120/min`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Simulate {
    /// Limits, each in quotes, such as "counter count=100 time=1m" (at most 8)
    #[arg(required = true, value_name = "LIMIT", num_args = 1..=8)]
    limits: Vec<Limit>,
    /// Compares the limit in force with a candidate: changed numbers such as "count=50", or a whole limit
    #[arg(long, value_name = "CANDIDATE", help_heading = "What if")]
    pub(crate) shadow: Option<String>,
    /// Shows identities of a log as they are, instead of a keyed hash
    #[arg(long, help_heading = "What if")]
    pub(crate) identities: bool,
    #[command(flatten)]
    pub(crate) traffic: TrafficOptions,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Traffic")]
pub(crate) struct TrafficOptions {
    #[command(flatten)]
    pub(crate) arrivals: Arrivals,
    /// An access log in the combined or common format, or a table as CSV whose first line names the columns `time` and
    /// `caller`, and also `calls` and `seconds` if a row stands for several calls; `-` reads the standard input. With the columns
    /// `ceiling`, `used` and `seconds` of each call, also compares charges of the ceiling with `cost = learn(ceiling)`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steady", "burst", "poisson", "callers", "skew", "length", "seed"])]
    pub(crate) log: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// The units that each call takes
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cost: u32,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Columns of the chart [default: the width of the terminal, else 80]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..=400))]
    pub(crate) width: Option<u16>,
    /// Writes each call and each decision about it, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) calls: Option<PathBuf>,
}

impl Simulate {
    /// All limits: the limits of the command line, and the candidate of `--shadow`.
    ///
    /// # Errors
    ///
    /// If a limit cannot be simulated, or does not fit the other options.
    pub(crate) fn all_limits(&self) -> Result<Vec<Limit>, String> {
        let mut limits = self.limits.clone();
        if let Some(candidate) = &self.shadow {
            let [in_force] = limits[..] else {
                return Err("`--shadow` compares one limit with the candidate; write one LIMIT".to_owned());
            };
            let candidate = changed(&in_force, candidate)
                .map_err(|error| format!("invalid candidate `{candidate}`: {error}"))?;
            limits.push(candidate);
        }
        match limits.iter().find(|limit| limit.is_concurrency()) {
            Some(limit) => {
                Err(format!("`{limit}` cannot be simulated: its turns depend on how long calls run"))
            }
            None => Ok(limits),
        }
    }
}

/// Applies a change to a limit: changed numbers, or another limit.
fn changed(in_force: &Limit, change: &str) -> Result<Limit, String> {
    let change: LimitChange = change.parse().map_err(|error: ParseLimitError| error.to_string())?;
    change.apply(in_force).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_a_change_or_a_limit() {
        let in_force: Limit = "token_bucket count=100 time=1m burst=20".parse().unwrap();
        for (change, expected) in [
            ("count=50", "token_bucket count=50 time=1m burst=20"),
            ("burst=5 time=30s", "token_bucket count=100 time=30s burst=5"),
            ("counter count=7 time=1h", "counter count=7 time=1h"),
        ] {
            assert_eq!(changed(&in_force, change).unwrap().to_string(), expected);
        }
        for (change, says) in [
            ("", "expected a change"),
            ("cuont=5", "unknown field"),
            ("time=0s", "1 ms"),
            ("x", "unknown algorithm"),
        ] {
            let error = changed(&in_force, change).unwrap_err();
            assert!(error.contains(says), "{change}: {error}");
        }
    }
}
