//! Simulates fleets: `fleet [--seed S] [--seeds N] [--threads T] [--until-broken] [--twice] [--plant NAME] [--planted [WORD]]`.

use fleet::planted;
use fleet::soak::Soak;
use std::process::ExitCode;
use std::thread;

/// A parsed command line.
struct Options {
    soak: Soak,
    /// Whether the command line has `--seeds`.
    is_counted: bool,
    plant: Option<String>,
    /// Selects the planted bugs to hunt: their names contain this word.
    hunt: Option<String>,
}

fn main() -> ExitCode {
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

fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let soak = Soak { first: 0, seeds: 1, threads, until_broken: false, twice: false };
    let mut options = Options { soak, is_counted: false, plant: None, hunt: None };
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
            "--plant" => options.plant = Some(words.next().unwrap_or_default()),
            "--planted" => options.hunt = Some(words.next().unwrap_or_default()),
            _ => return Err(format!("unknown option `{word}`")),
        }
    }
    Ok(options)
}

/// Performs the command. Returns whether no promise was broken, or whether a hunt found all bugs.
fn perform(options: &Options) -> Result<bool, String> {
    let soak = options.soak;
    if let Some(word) = &options.hunt {
        return planted::hunt(word, if options.is_counted { soak.seeds } else { 1000 }, soak.threads);
    }
    if let Some(name) = &options.plant {
        let bug = planted::bugs().into_iter().find(|bug| bug.name == name);
        planted::plant(bug.ok_or_else(|| format!("there is no planted bug `{name}`"))?);
    }
    if soak.seeds == 1 {
        return Ok(show(soak.first));
    }
    let totals = soak.run(|seed, promise| {
        println!("seed {seed}: {promise}; to repeat it: cargo xtask fleet --seed {seed}");
    });
    println!(
        "{} seeds, {} calls, {:.1} simulated years in {:.1?} ({:.0} seeds/s); {} seeds broke a promise",
        totals.seeds,
        totals.calls,
        totals.years(),
        totals.took,
        totals.seeds_per_second(),
        totals.broken.len()
    );
    Ok(totals.broken.is_empty())
}

/// Prints the log of one seed. Returns whether it broke no promise.
fn show(seed: u64) -> bool {
    let run = fleet::show(seed);
    println!("{}", run.log);
    run.broken.iter().for_each(|promise| println!("broken: {promise}"));
    if let Some(shrunk) = fleet::show_shrunk(seed) {
        println!("\nthe fewest steps that still break a promise:\n{}", shrunk.log);
        shrunk.broken.iter().for_each(|promise| println!("broken: {promise}"));
    }
    run.broken.is_empty()
}
