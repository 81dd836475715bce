//! The options of the command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Simulates a thousand processes that share one limit of 10 000 calls per second in one Redis. The load changes:
too many calls, few, nearly too many, and then a rush. Compares the calls that reach Redis and the calls that are
admitted, for one call per decision, group commit, the deny cache, and leases of several sizes. Needs no Redis.
Draws fleet_calls.svg and fleet_use.svg.

Usage: cargo run --release -p ratelimit-chart-examples --example fleet [-- OPTIONS]

Options:
  --processes N   number of processes, default 1000
  --rounds N      number of measured rounds of 4 seconds, default 1; one more comes before
  --seed N        seed of the random calls, default 1
  --out DIR       folder of the drawings, default target/fleet
  --help          print this help
";

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) processes: u32,
    pub(crate) rounds: u32,
    pub(crate) seed: u32,
    pub(crate) out: PathBuf,
}

impl Options {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let out = PathBuf::from("target/fleet");
        let mut options = Self { help: false, processes: 1000, rounds: 1, seed: 1, out };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next();
            match argument.as_str() {
                "--help" | "-h" => options.help = true,
                "--processes" => options.processes = number(&argument, value(), 1..=20_000)?,
                "--rounds" => options.rounds = number(&argument, value(), 1..=100)?,
                "--seed" => options.seed = number(&argument, value(), 0..=u32::MAX)?,
                "--out" => {
                    options.out = value().ok_or("`--out` needs a directory: write `--out drawings`")?.into();
                }
                _ => return Err(format!("unknown option `{argument}`: see `--help`")),
            }
        }
        Ok(options)
    }
}

fn number(name: &str, value: Option<String>, range: std::ops::RangeInclusive<u32>) -> Result<u32, String> {
    let value = value.ok_or_else(|| format!("`{name}` needs a number"))?;
    let (least, most) = range.clone().into_inner();
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("`{name}` takes a number from {least} to {most}, not `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_and_mistakes_are_reported() {
        let options = parse("--processes 10 --seed 7 --out x").unwrap();
        assert_eq!((options.processes, options.seed, options.out), (10, 7, PathBuf::from("x")));
        assert!(parse("--processes 0").unwrap_err().contains("from 1 to 20000, not `0`"));
        assert!(parse("--rounds").unwrap_err().contains("needs a number"));
        assert!(parse("--fast").unwrap_err().contains("unknown option `--fast`"));
    }
}
