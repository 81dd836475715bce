//! Draws random mutations of the scripts and of the client: exchanged operators, other constants, deleted statements and exchanged
//! branches. Nobody chooses them by hand.

mod lua;
mod rust;

use super::Bug;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The parts of the client that a simulated fleet executes: deciding, leases, overrides, permits, and everything between a limiter
/// and a server, except URLs, TLS and the texts of errors.
const CLIENT: [&str; 9] = [
    "limiter/call",
    "limiter/layers",
    "limiter/overrides",
    "limiter/permits",
    "store/redis/batch",
    "store/redis/client",
    "store/redis/server",
    "store/redis/topology",
    "store/redis/waiting",
];

/// A place that can be mutated: the text at this position of a file, its replacement, and what the mutation does.
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) what: String,
}

/// Draws mutations, one half of the scripts and one half of the client. The same seed draws the same mutations of the same code.
/// No two mutations overlap.
///
/// # Errors
///
/// A file cannot be read.
pub(super) fn draw(number: usize, seed: u64) -> io::Result<Vec<Bug>> {
    let root = super::root();
    let mut random = fastrand::Rng::with_seed(seed);
    let scripts = places(&root, &["lua".into()], "lua", lua::places)?;
    let folders = CLIENT.map(|folder| PathBuf::from("ratelimit-runtime/src").join(folder));
    let client = places(&root, &folders, "rs", rust::places)?;
    let mut drawn: Vec<Bug> = Vec::new();
    while drawn.len() < number {
        let from = if drawn.len().is_multiple_of(2) { &scripts } else { &client };
        let Some(bug) = random.choice(from) else { break };
        if !drawn.iter().any(|other| overlap(other, bug)) {
            drawn.push(bug.clone());
        }
    }
    Ok(drawn)
}

fn overlap(one: &Bug, other: &Bug) -> bool {
    one.file == other.file
        && one.at < other.at + other.from.len().max(1)
        && other.at < one.at + one.from.len().max(1)
}

/// All places in the files below some folders.
fn places(
    root: &Path,
    folders: &[PathBuf],
    extension: &str,
    find: impl Fn(&str) -> Vec<Place>,
) -> io::Result<Vec<Bug>> {
    let mut files = Vec::new();
    for folder in folders {
        list(root, folder, extension, &mut files)?;
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(root.join(&file))?;
        let file = file.to_string_lossy().replace('\\', "/");
        all.extend(find(&text).into_iter().map(|Place { at, from, to, what }| {
            let line = text[..at].matches('\n').count() + 1;
            Bug { name: format!("{file}:{line}: {what}"), file: file.clone(), from, to, at }
        }));
    }
    Ok(all)
}

fn list(root: &Path, folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            list(root, &path, extension, files)?;
        } else if path.extension().is_some_and(|found| found == extension)
            && path.file_stem().is_some_and(|stem| stem != "tests" && stem != "any_slot_probe")
        {
            files.push(path);
        }
    }
    Ok(())
}
