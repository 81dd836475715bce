//! The options of the command line.

use ratelimit::Algorithm;
use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Calls a limit of 500 per second in a loop, from 20 workers, for every algorithm, in memory and in Redis. Prints the
admitted, refused and failed calls of the last second, five times per second; then the mean, and whether it is
within 1 % of the limit. Draws steady_rate.svg and edge_burst.svg.

Usage: cargo run --release -p ratelimit-chart-examples --example steady_rate [-- OPTIONS]

Options:
  --seconds N        length of the measurement, default 10
  --only ALGORITHM   measure only counter, token_bucket, sliding_window, sliding_log or leaky_bucket
  --out DIR          folder of the drawings, default target/steady_rate
  --help             print this help

Redis is the server of RATELIMIT_URL. If that is not set, a private redis-server is started if one is installed.
";

/// The longest measurement, in seconds. Memory grows with it.
const LONGEST: u32 = 3600;

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) seconds: u32,
    pub(crate) only: Option<Algorithm>,
    pub(crate) out: PathBuf,
}

impl Options {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let out = PathBuf::from("target/steady_rate");
        let mut options = Self { help: false, seconds: 10, only: None, out };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" | "-h" => options.help = true,
                "--seconds" => options.seconds = seconds(arguments.next().as_deref())?,
                "--only" => options.only = Some(algorithm(arguments.next().as_deref())?),
                "--out" => {
                    let out = arguments.next().ok_or("`--out` needs a directory: write `--out drawings`")?;
                    options.out = out.into();
                }
                _ => return Err(format!("unknown option `{argument}`: see `--help`")),
            }
        }
        Ok(options)
    }
}

fn seconds(value: Option<&str>) -> Result<u32, String> {
    let value = value.ok_or("`--seconds` needs a number: write `--seconds 10`")?;
    let seconds = value.parse().ok().filter(|seconds| (1..=LONGEST).contains(seconds));
    seconds.ok_or_else(|| format!("`--seconds` takes a number from 1 to {LONGEST}, not `{value}`"))
}

fn algorithm(value: Option<&str>) -> Result<Algorithm, String> {
    let value = value.ok_or("`--only` needs an algorithm: write `--only counter`")?;
    let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.as_str() == value);
    match found {
        Some(Algorithm::Concurrency) => Err(crate::subjects::WHY_NOT_CONCURRENCY.to_owned()),
        Some(algorithm) => Ok(algorithm),
        None => Err(format!("`--only` takes the name of an algorithm, not `{value}`: see `--help`")),
    }
}
