//! The part `compile` of `bench`: measures the build time that the attribute costs, for each function with the attribute, once
//! for the macro itself, and for whole services beside those with another library.

mod crates;
mod services;
mod stopwatch;

use crate::process::{cargo, remove, root, run, target};
use crates::Crates;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use stopwatch::{Figures, Stopwatch};

const ROUNDS: usize = 7;
const CLEAN_ROUNDS: usize = 3;

/// The additional time in milliseconds that `cargo check` may take for a function with the attribute, compared with a handwritten
/// check.
const GOAL_MS: f64 = 8.0;
/// The maximum time of the macro's build, relative to a build of syn and quote alone.
const GOAL_RATIO: f64 = 1.2;

pub(crate) fn perform() -> Result<(), String> {
    let place = target().join("compile");
    let crates = Crates::write(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    functions(&crates, &place)?;
    println!();
    clean_builds(&crates, &place)?;
    println!();
    services::measure(&place)
}

/// Measures `cargo check` of the crates with functions, after their dependencies were built.
fn functions(crates: &Crates, place: &Path) -> Result<(), String> {
    let subjects = [
        ("attribute", &crates.attribute),
        ("handwritten check", &crates.by_hand),
        ("no check", &crates.bare),
    ];
    let check = |folder: &Path| quietly(&["check", "--offline", "--quiet"], folder, &place.join("target"));
    for (_, folder) in subjects {
        run(&mut check(folder))?;
    }
    let mut figures = subjects.map(|_| Figures::default());
    for _ in 0..ROUNDS {
        for ((_, folder), figures) in subjects.iter().zip(&mut figures) {
            edit(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            figures.add(&Stopwatch::start(), || run(&mut check(folder)))?;
        }
    }
    let count = f64::from(crates::FUNCTIONS);
    println!("cargo check of {count} functions, median of {ROUNDS} rounds (lowest to highest)");
    for ((name, _), figures) in subjects.iter().zip(&figures) {
        println!("  {name:<24}{figures}");
    }
    let [attribute, by_hand, bare] = figures.map(|figures| figures.median() * 1000.0 / count);
    println!("  a function with the attribute takes {:.2} ms more than without a check,", attribute - bare);
    println!(
        "  and {:.2} ms more than with a handwritten check (goal: below {GOAL_MS} ms)",
        attribute - by_hand
    );
    Ok(())
}

/// Measures clean builds of the macro, as on a machine that builds it for the first time.
fn clean_builds(crates: &Crates, place: &Path) -> Result<(), String> {
    let subjects = [("ratelimit-macros", &root()), ("syn and quote alone", &crates.syn_alone)];
    let mut figures = subjects.map(|_| Figures::default());
    let fresh = place.join("fresh");
    for _ in 0..CLEAN_ROUNDS {
        for ((name, folder), figures) in subjects.iter().zip(&mut figures) {
            remove(&fresh)?;
            let mut build = quietly(&["build", "--offline", "--quiet", "--jobs=2"], folder, &fresh);
            if *name == "ratelimit-macros" {
                build.args(["--package", name]);
            }
            figures.add(&Stopwatch::start(), || run(&mut build))?;
        }
    }
    println!("clean build, median of {CLEAN_ROUNDS} rounds (lowest to highest)");
    for ((name, _), figures) in subjects.iter().zip(&figures) {
        println!("  {name:<24}{figures}");
    }
    let [ours, alone] = figures.map(|figures| figures.median());
    println!("  ratelimit-macros takes {:.2} times as long (goal: at most {GOAL_RATIO})", ours / alone);
    remove(&fresh)
}

/// A cargo command for one of the crates, without output.
fn quietly(arguments: &[&str], folder: &Path, target: &Path) -> Command {
    let mut command = cargo(arguments);
    // Incremental builds are off, because cargo does not use them for packages from a registry.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", target);
    command.current_dir(folder).stdout(Stdio::null());
    command
}

/// Writes the same code again. Because of the new modification time, cargo checks it again.
fn edit(folder: &Path) -> io::Result<()> {
    let file = folder.join("src/lib.rs");
    fs::write(&file, fs::read(&file)?)
}
