//! What the command line may say.

use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
A thousand processes share one limit of 10 000 calls a second, kept in one Redis. Their calls are uneven: too
many, few, nearly too many, and then a rush. Shows what reaches Redis, what passes, and what is wasted, by each way to ask:
one call per decision, group commit, the deny cache, and leases of several sizes. All on simulated time, so
that no Redis is needed and every run is alike. Draws fleet_calls.svg and fleet_use.svg.

Usage: cargo run --example fleet [-- OPTIONS]

Options:
  --processes N   so many processes share the limit, 1000 if not given
  --rounds N      so many rounds of 4 seconds are counted, 1 if not given, after the first
  --seed N        other calls, 1 if not given
  --out DIR       where the drawings go, target/fleet if not given
  --help          print this
";

/// What to do.
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
    fn options_are_read_and_mistakes_said() {
        let options = parse("--processes 10 --seed 7 --out x").unwrap();
        assert_eq!((options.processes, options.seed, options.out), (10, 7, PathBuf::from("x")));
        assert!(parse("--processes 0").unwrap_err().contains("from 1 to 20000, not `0`"));
        assert!(parse("--rounds").unwrap_err().contains("needs a number"));
        assert!(parse("--fast").unwrap_err().contains("unknown option `--fast`"));
    }
}
