//! The options of `ratelimit simulate`.

mod output;
mod traffic;

use output::OutputOptions;
use ratelimit::{Algorithm, Limit};
use traffic::TrafficOptions;

const EXAMPLES: &str = "\
Examples:
  ratelimit simulate \"counter count=100 time=1m\" \"token_bucket count=100 time=1m burst=20\" --steady 120/min
  ratelimit simulate \"sliding_window count=5 time=15m\" --log access.log --path /login --html report.html
  ratelimit simulate \"counter count=100 time=1m\" --shadow \"count=50\" --log access.log

Exit codes: 0: done; 1: the log cannot be read or has no readable line, or a file cannot be written;
2: the command line is wrong.";

/// Show what limits admit and refuse, on simulated traffic or on an access log
///
/// Time is simulated, so nothing sleeps. All decisions are made by the code of the memory store, which decides as Redis does.
/// Several limits get the same traffic. Without any option for traffic, it is `--poisson 120/min`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Simulate {
    /// Limits, each in quotes, such as "counter count=100 time=1m" (at most 8)
    #[arg(required = true, value_name = "LIMIT", num_args = 1..=8)]
    pub(crate) limits: Vec<Limit>,

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

    #[arg(skip)]
    pub(crate) style: Style,
}

/// The form of the output, which options of the whole command choose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style {
    /// Print JSON instead of the table and the chart.
    pub(crate) json: bool,
    /// Whether to use colors. `None`: on a terminal, unless `NO_COLOR` is set.
    pub(crate) colors: Option<bool>,
}

impl Simulate {
    /// All limits: those on the command line, and the candidate of `--shadow`.
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
        for limit in &limits {
            self.check(limit).map_err(|error| format!("`{limit}` cannot be simulated: {error}"))?;
        }
        Ok(limits)
    }

    fn check(&self, limit: &Limit) -> Result<(), &'static str> {
        if limit.algorithm() != Algorithm::Concurrency {
            return Ok(());
        }
        if !limit.longest_wait().is_zero() {
            return Err(
                "the turn of a call that waits for a permit is not known in advance; leave out `wait`",
            );
        }
        if self.traffic.hold.is_none() {
            return Err("it depends on how long calls run; add that, as in `--hold 200ms`");
        }
        Ok(())
    }
}

/// A limit with some numbers changed, or another limit.
fn changed(in_force: &Limit, change: &str) -> Result<Limit, String> {
    if change.split_whitespace().next().is_some_and(|word| !word.contains('=')) {
        return change.parse().map_err(|error: ratelimit::ParseLimitError| error.to_string());
    }
    change.parse::<ratelimit::LimitChange>().map_err(|error| error.to_string())?;
    let names: Vec<&str> = change.split_whitespace().filter_map(|word| word.split('=').next()).collect();
    let text = in_force.to_string();
    let stays =
        |word: &&str| !names.iter().any(|name| word.split_once('=').is_some_and(|(old, _)| old == *name));
    let mut words: Vec<&str> = text.split_whitespace().filter(stays).collect();
    words.extend(change.split_whitespace());
    words.join(" ").parse().map_err(|error: ratelimit::ParseLimitError| error.to_string())
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
