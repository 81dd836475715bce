//! The options of `ratelimit simulate`.

use super::rate::Rate;
use super::time::{self, DAY, MINUTE};
use super::traffic::log::{By, Selection};
use super::traffic::{Arrivals, Burst, MOST_CALLERS};
use clap::builder::RangedU64ValueParser;
use ratelimit::{Algorithm, Limit};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ratelimit simulate \"counter count=100 time=1m\" \"token_bucket count=100 time=1m burst=20\" --steady 120/min
  ratelimit simulate \"sliding_window count=5 time=15m\" --log access.log --path /login --html report.html
  ratelimit simulate \"counter count=100 time=1m\" --shadow \"count=50\" --log access.log

Exit codes: 0: done; 1: the log cannot be read or has no readable line, or a file cannot be written;
2: the command line is wrong.";

/// Shows what limits admit and refuse, on simulated traffic or on an access log
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
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Traffic")]
pub(crate) struct TrafficOptions {
    /// Evenly spaced calls: calls per s, min, h, day or a length such as 15m
    #[arg(long, value_name = "RATE")]
    pub(crate) steady: Option<Rate>,

    /// So many calls at once, at the start
    #[arg(long, value_name = "CALLS", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub(crate) burst: Option<u64>,

    /// Repeats the burst after this time, such as 30s
    #[arg(long, value_name = "TIME", requires = "burst", value_parser = time::read)]
    pub(crate) every: Option<u64>,

    /// Independent random calls at a constant rate, such as 90/min
    #[arg(long, value_name = "RATE")]
    pub(crate) poisson: Option<Rate>,

    /// Random calls on a daily curve, with the least traffic at 4 h and the most at 16 h
    #[arg(long, value_name = "RATE")]
    pub(crate) daily: Option<Rate>,

    /// An access log in the combined or common format; `-` reads the standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steady", "burst", "poisson", "daily", "callers", "skew", "length", "seed"])]
    pub(crate) log: Option<PathBuf>,

    /// Who is limited in a log
    #[arg(long, value_name = "WHO", requires = "log", default_value = "address", value_enum)]
    pub(crate) by: By,

    /// Only lines of the log whose path begins with this
    #[arg(long, value_name = "PREFIX", requires = "log")]
    pub(crate) path: Option<String>,

    /// The number of callers that make the simulated calls together; each has its own limit
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLERS)))]
    pub(crate) callers: u32,

    /// How unequal the callers are: the n-th caller has the weight 1/n^SKEW, from 0 to 5
    #[arg(long, default_value_t = 1.0, value_parser = skew)]
    pub(crate) skew: f64,

    /// The simulated time [default: 10m, with --daily 1d]
    #[arg(long = "for", value_name = "TIME", value_parser = time::read)]
    pub(crate) length: Option<u64>,

    /// Repeats and changes random traffic
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// The units that each call takes
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cost: u32,

    /// How long each call runs and holds its permit; for concurrency limits
    #[arg(long, value_name = "TIME", value_parser = time::read)]
    pub(crate) hold: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Columns of the chart [default: the width of the terminal, else 80]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..=400))]
    pub(crate) width: Option<u16>,

    /// Prints JSON instead of the table and the chart
    #[arg(long)]
    pub(crate) json: bool,

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

fn skew(text: &str) -> Result<f64, String> {
    let skew = text.parse().ok().filter(|skew| (0.0..=5.0).contains(skew));
    skew.ok_or_else(|| format!("`{text}` is not a skew; expected a number from 0 to 5"))
}

impl TrafficOptions {
    pub(crate) fn selection(&self) -> Selection {
        Selection { by: self.by, path: self.path.clone() }
    }

    /// What arrives if there is no log.
    pub(crate) fn arrivals(&self) -> Arrivals {
        let burst = self.burst.map(|calls| Burst { calls, every: self.every });
        let given = Arrivals { steady: self.steady, burst, poisson: self.poisson, daily: self.daily };
        if given.is_empty() {
            Arrivals { poisson: Some(Rate { calls: 120, per: MINUTE }), ..given }
        } else {
            given
        }
    }

    /// The simulated time in microseconds if there is no log.
    pub(crate) fn length(&self) -> u64 {
        self.length.unwrap_or(if self.daily.is_some() { DAY } else { 10 * MINUTE })
    }
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
