//! What the attribute costs at build time: for each function that has it, and once for the macro itself.

mod crates;
mod stopwatch;

use crate::process::{cargo, root, run, target};
use crates::Crates;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use stopwatch::{Figures, Stopwatch};

const ROUNDS: usize = 7;
const CLEAN_ROUNDS: usize = 3;

/// What a function may cost more than one with a check written by hand.
const GOAL_MS: f64 = 8.0;
/// What the macro's build may take, where that of syn and quote alone takes 1.
const GOAL_RATIO: f64 = 1.2;

pub(crate) fn perform() -> Result<(), String> {
    let place = target().join("compile");
    let crates = Crates::write(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    functions(&crates, &place)?;
    println!();
    clean_builds(&crates, &place)
}

/// `cargo check` of a crate alone, its dependencies built.
fn functions(crates: &Crates, place: &Path) -> Result<(), String> {
    let subjects = [("attribute", &crates.attribute), ("by hand", &crates.by_hand), ("bare", &crates.bare)];
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
    println!("cargo check of {count} functions, {ROUNDS} rounds, medians (lowest to highest)");
    for ((name, _), figures) in subjects.iter().zip(&figures) {
        println!("  {name:<24}{figures}");
    }
    let [attribute, by_hand, bare] = figures.map(|figures| figures.judged() * 1000.0 / count);
    println!("  a function with the attribute: {:.2} ms more than bare,", attribute - bare);
    println!("  {:.2} ms more than one with a check by hand (goal: below {GOAL_MS} ms)", attribute - by_hand);
    Ok(())
}

/// From nothing to a macro that is built, as on a user's machine that has never built it.
fn clean_builds(crates: &Crates, place: &Path) -> Result<(), String> {
    let subjects = [("ratelimit-macros", &root()), ("syn and quote alone", &crates.syn_alone)];
    let mut figures = subjects.map(|_| Figures::default());
    let fresh = place.join("fresh");
    for _ in 0..CLEAN_ROUNDS {
        for ((name, folder), figures) in subjects.iter().zip(&mut figures) {
            clear(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))?;
            let mut build = quietly(&["build", "--offline", "--quiet", "--jobs=2"], folder, &fresh);
            if *name == "ratelimit-macros" {
                build.args(["--package", name]);
            }
            figures.add(&Stopwatch::start(), || run(&mut build))?;
        }
    }
    println!("clean build, {CLEAN_ROUNDS} rounds, medians (lowest to highest)");
    for ((name, _), figures) in subjects.iter().zip(&figures) {
        println!("  {name:<24}{figures}");
    }
    let [ours, alone] = figures.map(|figures| figures.judged());
    println!("  {:.2} times as long (goal: at most {GOAL_RATIO})", ours / alone);
    clear(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))
}

fn quietly(arguments: &[&str], folder: &Path, target: &Path) -> Command {
    let mut command = cargo(arguments);
    // All of it each time, and nothing that a registry's package would not have.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", target);
    command.current_dir(folder).stdout(Stdio::null());
    command
}

/// The same text once more: cargo looks at the time of a file.
fn edit(folder: &Path) -> io::Result<()> {
    let file = folder.join("src/lib.rs");
    fs::write(&file, fs::read(&file)?)
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
