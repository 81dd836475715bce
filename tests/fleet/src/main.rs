//! Simulates fleets. `fleet --help` prints the options.

use fleet::soak::Soak;
use fleet::{planted, say};
use std::process::ExitCode;
use std::thread;

const USAGE: &str = "\
usage: fleet [OPTION]..

  --seed S          runs the fleet of this seed and prints its log; the first seed if there are several (0)
  --seeds N         runs N fleets and prints the seeds that break a promise
  --threads T       the number of threads (one for each core)
  --until-broken    stops at the first seed that breaks a promise
  --twice           runs each seed twice, and compares the logs
  --planted [WORD]  hunts the planted bugs whose names contain WORD, with up to 1000 seeds each, or with N seeds
  --mutants N       draws N mutations of the scripts and the client, and hunts them in the same way
  --from S          the seed of these mutations (0)
  --plant NAME      plants one bug or mutation of a script
  --help            prints this text";

/// A parsed command line.
struct Options {
    soak: Soak,
    /// Whether the command line has `--seeds`.
    is_counted: bool,
    plant: Option<String>,
    /// Selects the planted bugs to hunt: their names contain this word.
    hunt: Option<String>,
    /// The number of mutations to draw, and their seed.
    mutants: Option<usize>,
    from: u64,
}

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|word| word == "--help" || word == "-h") {
        say(USAGE);
        return ExitCode::SUCCESS;
    }
    let outcome = parse(std::env::args().skip(1)).and_then(|options| perform(&options));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fleet: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut words = words.peekable();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let soak = Soak { first: 0, seeds: 1, threads, until_broken: false, twice: false };
    let mut options = Options { soak, is_counted: false, plant: None, hunt: None, mutants: None, from: 0 };
    let soak = &mut options.soak;
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().unwrap_or_default();
            text.parse::<u64>().map_err(|_| format!("`{word}` expects a number, got `{text}`"))
        };
        match word.as_str() {
            "--seed" => soak.first = number()?,
            "--seeds" => (soak.seeds, options.is_counted) = (number()?, true),
            "--threads" => soak.threads = usize::try_from(number()?.max(1)).unwrap_or(1),
            "--until-broken" => soak.until_broken = true,
            "--twice" => soak.twice = true,
            "--mutants" => options.mutants = usize::try_from(number()?).ok(),
            "--from" => options.from = number()?,
            "--plant" => options.plant = Some(words.next().unwrap_or_default()),
            "--planted" => {
                options.hunt = Some(words.next_if(|word| !word.starts_with("--")).unwrap_or_default());
            }
            _ => return Err(format!("unknown option `{word}`\n\n{USAGE}")),
        }
    }
    Ok(options)
}

/// Performs the command. Returns whether no promise was broken, or whether a hunt found all bugs.
fn perform(options: &Options) -> Result<bool, String> {
    let soak = options.soak;
    let seeds = if options.is_counted { soak.seeds } else { 1000 };
    if let Some(word) = &options.hunt {
        return planted::hunt(word, seeds, soak.threads);
    }
    if let (Some(number), None) = (options.mutants, &options.plant) {
        return planted::hunt_mutations(number, options.from, seeds, soak.threads);
    }
    if let Some(name) = &options.plant {
        let bugs = match options.mutants {
            Some(number) => planted::mutations(number, options.from)?,
            None => planted::bugs(),
        };
        let bug = bugs.iter().find(|bug| bug.name == *name).cloned();
        let unknown =
            || format!("no planted bug is called `{name}`, expected one of:\n{}", planted::names(&bugs));
        planted::plant(bug.ok_or_else(unknown)?);
    }
    if soak.seeds == 1 {
        return Ok(show(soak.first));
    }
    let totals = soak.run(|seed, promise| {
        say(format_args!("seed {seed}: {promise}; to repeat it: cargo xtask fleet --seed {seed}"));
    });
    say(format_args!(
        "{} seeds, {} calls, {:.1} simulated years in {:.1?} ({:.0} seeds/s); {} seeds broke a promise",
        totals.seeds,
        totals.calls,
        totals.years(),
        totals.took,
        totals.seeds_per_second(),
        totals.broken.len()
    ));
    Ok(totals.broken.is_empty())
}

/// Prints the log of one seed. Returns whether it broke no promise.
fn show(seed: u64) -> bool {
    let run = fleet::show(seed);
    say(&run.log);
    run.broken.iter().for_each(|promise| say(format_args!("broken: {promise}")));
    if let Some(shrunk) = fleet::show_shrunk(seed) {
        say(format_args!("\nthe fewest steps that still break a promise:\n{}", shrunk.log));
        shrunk.broken.iter().for_each(|promise| say(format_args!("broken: {promise}")));
    }
    run.broken.is_empty()
}
