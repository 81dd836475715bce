//! Hunts planted bugs: runs seeds with each bug until a promise is broken.

use super::{Bug, VARIABLE, bugs, copy};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Hunts the bugs whose names contain a word. Prints for each bug the first seed that finds it. Returns whether all were found.
///
/// # Errors
///
/// The copy of the workspace cannot be made or built.
pub fn hunt(word: &str, seeds: u64, threads: usize) -> Result<bool, String> {
    let program = copy::build()?;
    let hunted: Vec<(usize, Bug)> =
        bugs().into_iter().enumerate().filter(|(_, bug)| bug.name.contains(word)).collect();
    let (start, next, found) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, bug)) = hunted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = until_found(&program, at + 1, bug, seeds);
                    found.fetch_add(usize::from(line.is_some()), Ordering::Relaxed);
                    println!("{:<48} {}", bug.name, line.as_deref().unwrap_or("NOT FOUND"));
                }
            });
        }
    });
    let found = found.into_inner();
    println!(
        "{found} of {} planted bugs found, each within {seeds} seeds, in {:.1?}",
        hunted.len(),
        start.elapsed()
    );
    Ok(found == hunted.len())
}

/// Returns the line that names the first seed that finds the bug, and the promise that it breaks.
fn until_found(program: &Path, number: usize, bug: &Bug, seeds: u64) -> Option<String> {
    let mut command = Command::new(program);
    command.args(["--seeds", &seeds.to_string(), "--threads", "1", "--until-broken"]).stderr(Stdio::null());
    if bug.is_in_script() {
        command.args(["--plant", bug.name]);
    } else {
        command.env(VARIABLE, number.to_string());
    }
    let output = command.output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().find(|line| line.starts_with("seed ")).map(str::to_owned)
}
